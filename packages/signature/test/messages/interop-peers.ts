import {
  constants,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  type SignKeyObjectInput,
  verify,
} from 'node:crypto';
import { type JWK, createSignatureHeaders, validateSignature } from '@interledger/http-signature-utils';
import { createSignature, component, verifySignature } from 'http-message-sig';
import { createSigner, createVerifier, httpbis } from 'http-message-signatures';
import { signatureHeaders, verify as verifyWebBot } from 'web-bot-auth';
import { signerFromJWK, verifierFromJWK } from 'web-bot-auth/crypto';
import type { MessageAlgorithm, SignatureParameters } from '../../src/on-web/messages.ts';
import type { CoveredPart, InteropCase, PlainMessage } from './interop-cases.ts';

/** Something to sign or to verify, as JSON can hold it. */
export interface PeerTask {
  readonly operation: 'sign' | 'verify';
  readonly algorithm: MessageAlgorithm;
  /** PKCS#8 or SubjectPublicKeyInfo in PEM, or a secret in Base64. */
  readonly key: string;
  readonly label: string;
  readonly request: PlainMessage;
  /** The signed message, if it is a response. */
  readonly response?: PlainMessage;
  readonly components: readonly CoveredPart[];
  readonly times: { readonly created?: number; readonly expires?: number };
  readonly texts: {
    readonly keyid: string;
    readonly alg?: string;
    readonly nonce?: string;
    readonly tag?: string;
  };
}

/** What a library did: the header lines to add, or that it verified the signature. */
export interface PeerResult {
  readonly lines?: readonly (readonly [string, string])[];
  readonly verified?: boolean;
  readonly problem?: string;
}

/** A library that nobody here wrote. */
export interface Peer {
  readonly name: string;
  readonly algorithms: readonly MessageAlgorithm[];
  /** Profiles that it is for; undefined if it signs whatever it is asked to. */
  readonly profiles?: readonly InteropCase['profile'][];
  /** True if it compares a covered digest with the body; others leave that to their callers. */
  readonly checksBody?: true;
  /** The only order of parameters that it verifies; undefined if it verifies any, as it must. */
  readonly parameterOrder?: readonly (keyof SignatureParameters)[];
  readonly run: (tasks: readonly PeerTask[]) => Promise<readonly PeerResult[]>;
}

/** A library for this runtime, whose functions throw, or return false. */
function peer(
  facts: Omit<Peer, 'run'>,
  signed: (task: PeerTask) => Promise<NonNullable<PeerResult['lines']>>,
  verified: (task: PeerTask) => Promise<boolean>,
): Peer {
  const run = async (task: PeerTask): Promise<PeerResult> => {
    try {
      return task.operation === 'sign' ? { lines: await signed(task) } : { verified: await verified(task) };
    } catch (error) {
      return { problem: String(error) };
    }
  };
  return { ...facts, run: (tasks) => Promise.all(tasks.map(run)) };
}

/** The algorithms of RFC 9421's registry. */
export const registered = [
  'rsa-v1_5-sha256',
  'rsa-pss-sha512',
  'ecdsa-p256-sha256',
  'ecdsa-p384-sha384',
  'ed25519',
  'hmac-sha256',
] as const;

/** Returns fields by their names, as most libraries take them. */
function fieldsOf({ headers }: PlainMessage): Record<string, string> {
  return Object.fromEntries(headers);
}

function textOf({ name, key, req }: CoveredPart): string {
  return `"${name}"${req === true ? ';req' : ''}${key === undefined ? '' : `;key="${key}"`}`;
}

function linesOf(fields: object): NonNullable<PeerResult['lines']> {
  return (Object.entries(fields) as [string, string][]).filter(([name]) =>
    /^signature(?:-input)?$/i.test(name),
  );
}

/** https://github.com/dhensby/node-http-message-signatures */
const httpMessageSignatures = peer(
  { name: 'http-message-signatures (npm)', algorithms: registered },
  async ({ algorithm, key, label, request, response, components, times, texts }) => {
    const paramValues = {
      ...texts,
      created: times.created === undefined ? null : new Date(times.created * 1000),
      ...(times.expires !== undefined && { expires: new Date(times.expires * 1000) }),
    };
    const config = {
      key: createSigner(secretOr(key, algorithm), algorithm, texts.keyid),
      name: label,
      fields: components.map(textOf),
      params: [...Object.keys(times), ...Object.keys(texts)],
      paramValues,
    };
    const asked = { method: request.method!, url: request.url!, headers: fieldsOf(request) };
    const { headers } =
      response === undefined
        ? await httpbis.signMessage(config, asked)
        : await httpbis.signMessage(config, { status: response.status!, headers: fieldsOf(response) }, asked);
    return linesOf(headers);
  },
  async ({ algorithm, key, request, response, components, times, texts }) => {
    const verifier = createVerifier(secretOr(key, algorithm), algorithm);
    const config = {
      keyLookup: async () => ({ id: texts.keyid, algs: [algorithm], verify: verifier }),
      requiredParams: [...Object.keys(times), ...Object.keys(texts)],
      requiredFields: components.map(({ name }) => name),
      tolerance: 60,
      maxAge: 3600,
      all: true,
    };
    const asked = { method: request.method!, url: request.url!, headers: fieldsOf(request) };
    const outcome =
      response === undefined
        ? await httpbis.verifyMessage(config, asked)
        : await httpbis.verifyMessage(
            config,
            { status: response.status!, headers: fieldsOf(response) },
            asked,
          );
    return outcome === true;
  },
);

function secretOr(key: string, algorithm: MessageAlgorithm): string | Buffer {
  return algorithm === 'hmac-sha256' ? Buffer.from(key, 'base64') : key;
}

/** https://github.com/cloudflare/web-bot-auth, whose core leaves other algorithms than its own two to the caller. */
const httpMessageSig = peer(
  {
    name: 'http-message-sig (npm)',
    algorithms: [
      'rsa-v1_5-sha256',
      'rsa-pss-sha512',
      'PS256',
      'ecdsa-p256-sha256',
      'ecdsa-p384-sha384',
      'ed25519',
    ],
  },
  async ({ algorithm, key, label, components, times, texts, ...messages }) => {
    const { signature, signatureInput } = await createSignature(described(messages), {
      label,
      components: components.map(componentOf),
      parameters: { ...times, ...texts },
      signer: {
        algorithm,
        sign: (data) => sign(hashes[algorithm], data, withPadding(createPrivateKey(key), algorithm)),
      },
    });
    return [
      ['Signature-Input', signatureInput],
      ['Signature', signature],
    ];
  },
  async ({ algorithm, key, label, components, times, texts, ...messages }) => {
    await verifySignature(described(messages), {
      label,
      policy: {
        algorithms: [algorithm],
        requiredComponents: components.map(componentOf),
        requiredParameters: [...Object.keys(times), ...Object.keys(texts)],
        maxAge: 3600,
        clockSkew: 60,
      },
      resolveVerifier: () => ({
        algorithm,
        verify: (data, signature) =>
          verify(hashes[algorithm], data, withPadding(createPublicKey(key), algorithm), signature),
      }),
    });
    return true;
  },
);

type DescribedMessage = Parameters<typeof createSignature>[0];

function described({ request, response }: Pick<PeerTask, 'request' | 'response'>): DescribedMessage {
  const of = ({ headers }: PlainMessage): { name: string; value: string }[] =>
    headers.map(([name, value]) => ({ name, value }));
  const asked = {
    kind: 'request' as const,
    method: request.method!,
    targetUri: request.url!,
    fields: of(request),
  };
  return response === undefined
    ? asked
    : { kind: 'response', status: response.status!, fields: of(response), request: asked };
}

function componentOf({ name, key, req }: CoveredPart): ReturnType<typeof component> {
  return component(name, { ...(req && { req }), ...(key !== undefined && { key }) });
}

const hashes: Readonly<Record<MessageAlgorithm, string | undefined>> = {
  'rsa-v1_5-sha256': 'sha256',
  'rsa-pss-sha512': 'sha512',
  PS256: 'sha256',
  'ecdsa-p256-sha256': 'sha256',
  'ecdsa-p384-sha384': 'sha384',
  ed25519: undefined,
  'hmac-sha256': 'sha256',
};

function withPadding(key: KeyObject, algorithm: MessageAlgorithm): SignKeyObjectInput {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  if (algorithm === 'rsa-pss-sha512') return { key, padding, saltLength: 64 };
  return algorithm === 'PS256' ? { key, padding, saltLength: 32 } : { key, dsaEncoding: 'ieee-p1363' };
}

/** https://github.com/cloudflare/web-bot-auth */
const webBotAuth = peer(
  {
    name: 'web-bot-auth (npm)',
    algorithms: ['ed25519', 'rsa-pss-sha512'],
    profiles: ['webBotAuth01', 'webBotAuth2025'],
  },
  async ({ algorithm, key, label, request, components, times, texts }) => {
    const jwk = createPrivateKey(key).export({ format: 'jwk' });
    const signer = await signerFromJWK(withAlgorithm(jwk, algorithm));
    return linesOf(
      await signatureHeaders(
        { method: request.method!, url: request.url!, headers: fieldsOf(request) },
        { ...signer, keyid: texts.keyid, sign: (data) => signer.sign(data) },
        {
          created: new Date(times.created! * 1000),
          expires: new Date(times.expires! * 1000),
          key: label,
          components: components.map(({ name, key: member }) =>
            member === undefined ? name : { name, parameters: new Map([['key', member]]) },
          ),
        },
      ),
    );
  },
  async ({ algorithm, key, request }) => {
    const jwk = createPublicKey(key).export({ format: 'jwk' });
    // It returns nothing, and throws.
    await verifyWebBot(
      { method: request.method!, url: request.url!, headers: fieldsOf(request) },
      await verifierFromJWK(withAlgorithm(jwk, algorithm)),
    );
    return true;
  },
);

function withAlgorithm(jwk: JsonWebKey, algorithm: MessageAlgorithm): JsonWebKey {
  return algorithm === 'ed25519' ? jwk : { ...jwk, alg: 'PS512' };
}

/** https://github.com/interledger/open-payments-node: chooses what it covers itself. */
const interledger = peer(
  {
    name: '@interledger/http-signature-utils (npm)',
    algorithms: ['ed25519'],
    profiles: ['openPayments'],
    checksBody: true,
  },
  async ({ key, request, texts }) =>
    linesOf(
      await createSignatureHeaders({
        request: {
          method: request.method!,
          url: request.url!,
          headers: fieldsOf(request),
          body: request.body,
        },
        privateKey: createPrivateKey(key),
        keyId: texts.keyid,
      }),
    ),
  async ({ key, request, texts }) => {
    const headers = Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const jwk = createPublicKey(key).export({ format: 'jwk' });
    return validateSignature({ ...jwk, kid: texts.keyid, alg: 'EdDSA' } as JWK, {
      method: request.method!,
      url: request.url!,
      headers,
      body: request.body,
    });
  },
);

/** The libraries of npm. */
export const npmPeers: readonly Peer[] = [httpMessageSignatures, httpMessageSig, webBotAuth, interledger];
