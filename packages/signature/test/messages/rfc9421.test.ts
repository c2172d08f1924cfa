import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hmacKey } from '../../src/messages/hmac.ts';
import {
  ComponentError,
  createSignature,
  defineProfile,
  type HttpMessage,
  type MessageAlgorithm,
  type MessageProfile,
  type MessageSigningKey,
  type MessageVerifyingKey,
  readComponentIdentifier,
  type RequestMessage,
} from '../../src/on-web/messages.ts';
import { componentValue } from '../../src/rfc9421/component-value.ts';
import { readDigests } from '../../src/rfc9421/digest-members.ts';
import { type Message, readMessage } from '../../src/rfc9421/message.ts';
import { coveredComponents, messageBase } from '../../src/rfc9421/message-base.ts';
import { type InnerList, parseDictionary } from '../../src/rfc9421/structured-fields.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';

const file = new URL('../../../../../shared/vectors/rfc9421.json', import.meta.url);
const skip = existsSync(file) ? false : 'the vectors of RFC 9421 are not here';

interface VectorMessage {
  readonly type: 'request' | 'response';
  readonly method?: string;
  readonly requestTarget?: string;
  readonly scheme?: string;
  readonly status?: number;
  readonly headers?: readonly [string, string][];
  readonly trailers?: readonly [string, string][];
  readonly body?: string;
}

interface VectorSignature {
  readonly id: string;
  readonly message: string;
  readonly relatedRequest?: string;
  readonly label: string;
  readonly alg: MessageAlgorithm;
  readonly keyid: string;
  readonly components: readonly string[];
  readonly signatureParams: string;
  readonly signatureInput: string;
  readonly signatureBase: string;
  readonly signature: string;
  readonly deterministic: boolean;
  readonly expected: 'valid' | 'invalid';
}

interface Vectors {
  readonly keys: Readonly<
    Record<
      string,
      { publicKeyPem: string; privateKeyPem: string; jwk: Record<string, string>; secretBase64?: string }
    >
  >;
  readonly messages: Readonly<Record<string, VectorMessage>>;
  readonly signatures: readonly VectorSignature[];
  readonly components: readonly {
    readonly message: string;
    readonly relatedRequest?: string;
    readonly identifier: string;
    readonly value?: string;
    readonly line?: string;
    readonly error?: boolean;
  }[];
  readonly digests: readonly {
    readonly message: string;
    readonly header: string;
    readonly algorithm: 'sha-256' | 'sha-512';
    readonly checks: { readonly matchesBody: boolean };
  }[];
  readonly syntaxExamples: readonly { readonly value: string; readonly field: string }[];
}

const vectors = (skip === false
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { keys: {}, messages: {}, signatures: [], components: [], digests: [] }) as unknown as Vectors;

/** The example fields of section 2.1 whose types the text gives. */
const fieldTypes = { 'example-dict': 'dictionary' } as const;

function messageOf(id: string, relatedRequest?: string): HttpMessage {
  const {
    type,
    method,
    requestTarget = '/',
    scheme = 'https',
    status,
    headers = [],
    trailers,
    body,
  } = vectors.messages[id]!;
  const common = {
    headers,
    ...(trailers && { trailers }),
    body: body === undefined ? undefined : new TextEncoder().encode(body),
  };
  if (type === 'response')
    return {
      ...common,
      status: status!,
      ...(relatedRequest !== undefined && { request: messageOf(relatedRequest) as RequestMessage }),
    };
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? 'www.example.com';
  const isOrigin = requestTarget.startsWith('/');
  const targetUri = isOrigin
    ? `${scheme}://${host}${requestTarget}`
    : requestTarget.startsWith('http')
      ? requestTarget
      : `${scheme}://${host}/`;
  return { ...common, method: method!, targetUri, ...(isOrigin ? {} : { requestTarget }) };
}

function read(id: string, relatedRequest?: string): Message {
  const message = readMessage(messageOf(id, relatedRequest));
  assert.ok(typeof message === 'object');
  return message;
}

describe('the components of RFC 9421', { skip }, () => {
  for (const { message, relatedRequest, identifier, value, error } of vectors.components) {
    test(`${identifier} of ${message}`, () => {
      const of = readComponentIdentifier(identifier);
      const find = (): string => componentValue(of, read(message, relatedRequest), fieldTypes);
      if (error === true) assert.throws(find, ComponentError);
      else assert.equal(find(), value);
    });
  }
});

/** A profile that permits what an example's signature has. */
function profileOf({ label, alg, components, signatureParams, message }: VectorSignature): MessageProfile {
  const has = (name: string): 'required' | undefined =>
    signatureParams.includes(`;${name}=`) ? 'required' : undefined;
  const names = ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'] as const;
  const isResponse = vectors.messages[message]!.type === 'response';
  return {
    id: 'example',
    title: 'An example',
    message: isResponse ? 'response' : 'request',
    select: { label },
    components: {
      required: components.map((identifier) => ({ identifier })),
      others: 'none',
      order: 'fixed',
    },
    parameters: Object.fromEntries(names.flatMap((name) => (has(name) ? [[name, 'required'] as const] : []))),
    algorithms: [alg],
    time: { maxAgeSeconds: 3600, maxFutureSeconds: 0 },
    replay: 'off',
    digests: ['sha-512'],
  };
}

async function verifyingKeyOf(
  { alg, keyid }: VectorSignature,
  platform: MessagesPlatform,
): Promise<MessageVerifyingKey> {
  const { publicKeyPem, secretBase64 } = vectors.keys[keyid]!;
  if (alg === 'hmac-sha256') return hmacKey(Buffer.from(secretBase64!, 'base64'));
  return platform.verifyingKey(publicKeyPem, { algorithm: alg, allowPublishedTestKeys: true });
}

for (const platform of platforms) {
  describe(`the signatures of RFC 9421, ${platform.name}`, { skip }, () => {
    for (const signature of vectors.signatures) {
      const { id, message, relatedRequest, label, signatureInput, expected } = signature;
      if (expected === 'valid')
        test(`${id} has its base`, () => {
          const input = parseDictionary(signatureInput)?.get(label) as InnerList;
          const base = messageBase(input, coveredComponents(input), read(message, relatedRequest));
          assert.equal(base.text, signature.signatureBase);
        });

      test(`${id} is ${expected}`, async () => {
        const key = await verifyingKeyOf(signature, platform);
        const received = messageOf(message, relatedRequest);
        const outcome = await platform.verifyMessage(
          { ...received, headers: signedHeaders(received, signature) },
          {
            profile: defineProfile(profileOf(signature)),
            keysFor: ({ keyid }) => (keyid === signature.keyid ? key : undefined),
            nowSeconds: () => Number(/;created=(\d+)/.exec(signatureInput)![1]) + 1,
          },
        );
        if (outcome.ok) assert.equal(expected, 'valid');
        else assert.equal(`${outcome.code} ${expected}`, 'signature_invalid invalid');
      });
    }
  });
}

/** The example's own lines, or those of the message, which may have other signatures too. */
function signedHeaders(
  { headers }: HttpMessage,
  { label, signatureInput, signature }: VectorSignature,
): readonly (readonly [string, string])[] {
  const others = (headers as readonly [string, string][]).filter(
    ([name, value]) => !/^signature(?:-input)?$/i.test(name) || !value.includes(`${label}=`),
  );
  const value = signature.startsWith(`${label}=`) ? signature : `${label}=:${signature}:`;
  return [...others, ['Signature-Input', signatureInput], ['Signature', value]];
}

describe('the deterministic signatures of RFC 9421', { skip }, () => {
  for (const platform of platforms) {
    for (const signature of vectors.signatures.filter(
      ({ deterministic, expected }) => deterministic && expected === 'valid',
    )) {
      test(`${signature.id} is what signing gives, ${platform.name}`, async () => {
        const { alg, keyid, label, components, message, relatedRequest, signatureInput } = signature;
        const { privateKeyPem, secretBase64 } = vectors.keys[keyid]!;
        const key: MessageSigningKey =
          alg === 'hmac-sha256'
            ? await hmacKey(Buffer.from(secretBase64!, 'base64'))
            : await platform.signingKey(privateKeyPem, { algorithm: alg });
        const input = parseDictionary(signatureInput)!.get(label) as InnerList;
        const parameters = Object.fromEntries(
          [...input.parameters].map(([name, { value }]) => [name, value]),
        );
        const received = messageOf(message, relatedRequest);
        const others = (received.headers as readonly [string, string][]).filter(
          ([name]) => !/^signature/i.test(name),
        );
        const { headers } = await createSignature(
          { ...received, headers: others },
          { label, components, parameters, key },
        );
        assert.equal(headers['Signature-Input'], signatureInput);
        assert.equal(headers.Signature, `${label}=:${signature.signature.replace(/^.*?=:|:$/g, '')}:`);
      });
    }
  }
});

test('the digests of RFC 9421 are those of their bodies', { skip }, async () => {
  for (const { message, header, algorithm, checks } of vectors.digests) {
    const body = read(message).body;
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm.toUpperCase(), body));
    const stated = readDigests(header)!.get(algorithm)!;
    assert.equal(Buffer.compare(digest, stated) === 0, checks.matchesBody, message);
  }
});
