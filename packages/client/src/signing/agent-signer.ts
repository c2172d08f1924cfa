import {
  type AlgorithmName,
  decodeBase64,
  profileLimits,
  signatureAlgorithm,
  SigningError,
} from '@countersign/signature';
import { bytesOf } from '@countersign/signature/profile';
import type * as Messages from '@countersign/signature/messages';
import type { BareSigner } from './request-signer.ts';
import type { SignFunction } from './options.ts';

/** A key of an agent, which may be replaced while the program runs. */
export interface AgentKey {
  readonly sign: SignFunction;
  /** Returns the public half of the current key; undefined if the signer cannot derive it. */
  readonly publicKey: (() => Promise<string>) | undefined;
}

export interface AgentSettings {
  /** The URL of the JWK Set with the public key. */
  readonly signatureAgent: string;
  /** The thumbprint of the public key, for keys whose public half the signer cannot derive. */
  readonly keyid: string | undefined;
  readonly key: () => Promise<AgentKey>;
  readonly nowMs: () => number;
}

/** Signs requests of an agent. */
export interface AgentSigner extends BareSigner {
  /** Finds out what the key is. Rejects with SigningError if it cannot be used. */
  ready(): Promise<void>;
}

/** The algorithms that agents sign with here. */
export const agentAlgorithms: readonly AlgorithmName[] = ['ed25519', 'ecdsa-p256-sha256'];

const lifeSeconds = 300;

/**
 * Signs requests of an agent by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01). Covers more than the draft requires: the
 * method, the whole URL and the body. Each signature has a nonce, so all are different.
 *
 * @throws SigningError for a URL or a keyid that cannot be used
 */
export function createAgentSigner({ signatureAgent, keyid, key, nowMs }: AgentSettings): AgentSigner {
  checkAgentUrl(signatureAgent);
  if (keyid !== undefined && !(typeof keyid === 'string' && /^[\x21-\x7e]{1,256}$/.test(keyid)))
    throw new SigningError('keyid_invalid', "An agent's clientId is the thumbprint of its public key.");
  const field = `sig="${signatureAgent}"`;
  let known: KnownKey | undefined;
  const currentKey = async (): Promise<KnownKey> => (known ??= await knownKey(await key(), keyid));
  return {
    ready: async () => void (await currentKey()),
    async sign({ method, url, body }) {
      const { defineProfile, messageProfiles, MessageSigningError, signMessage } = await messages();
      const profile = (definedProfile ??= defineProfile(messageProfiles.webBotAuth01));
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : bytesOf(body, 'body');
      const request = {
        method: method.toUpperCase(),
        targetUri: typeof url === 'string' ? url : url.href,
        headers: [['Signature-Agent', field]] as const,
        body: bytes,
      };
      if (request.targetUri.length > profileLimits.targetUriLengthMax)
        throw new SigningError('request_invalid', 'The URL is too long.');
      const created = Math.floor(nowMs() / 1000);
      // The key may be replaced at any time: the second try is with the new one.
      for (let tries = 0; tries < 2; tries++) {
        const { name, algorithm, sign, verifying } = await currentKey();
        const signed = await signMessage(request, {
          profile,
          key: { algorithm, sign },
          keyid: name,
          created,
          expires: created + lifeSeconds,
          alg: true,
          others: [
            '@authority',
            '@method',
            '@target-uri',
            ...(bytes !== undefined && bytes.byteLength > 0 ? ['content-digest'] : []),
            '"signature-agent";key="sig"',
          ],
        }).catch(async (error: unknown) => {
          known = undefined;
          if (tries === 0 && (await currentKey()).name !== name) return undefined;
          throw error instanceof MessageSigningError
            ? new SigningError('request_invalid', error.message)
            : error;
        });
        if (signed === undefined) continue;
        if (await isBy(verifying, signed))
          return {
            method: request.method,
            url: request.targetUri,
            body: bytes,
            headers: { 'Signature-Agent': field, ...signed.headers },
            created,
            signatureBase: signed.signatureBase,
          };
        known = undefined;
      }
      throw new SigningError('signing_failed', 'The signature is not by the public key that the key has.');
    },
  };
}

/** Loaded by agents alone. */
function messages(): Promise<typeof Messages> {
  return import('@countersign/signature/messages');
}

let definedProfile: Messages.DefinedProfile | undefined;

/** What is known of a key until a signature is by another one. */
interface KnownKey {
  readonly name: string;
  readonly algorithm: AlgorithmName;
  readonly sign: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  readonly verifying: Messages.MessageVerifyingKey | undefined;
}

async function knownKey({ sign, publicKey }: AgentKey, keyid: string | undefined): Promise<KnownKey> {
  if (publicKey === undefined) return namedKey(sign, keyid);
  const { keyThumbprint, verifyingKey } = await messages();
  const text = await publicKey();
  const policy = { allowPublishedTestKeys: true, modulusBitsMax: 8192 };
  let verifying: Messages.MessageVerifyingKey;
  try {
    verifying = await verifyingKey(text, policy);
  } catch {
    throw otherAlgorithm();
  }
  const algorithm = checkedAlgorithm(verifying.algorithm);
  const name = await keyThumbprint(text, policy);
  if (keyid !== undefined && keyid !== name)
    throw new SigningError(
      'keyid_invalid',
      "An agent's keyid is the thumbprint of its key: leave out clientId.",
    );
  return { name, algorithm, sign, verifying };
}

async function namedKey(sign: SignFunction, keyid: string | undefined): Promise<KnownKey> {
  if (keyid === undefined)
    throw new SigningError(
      'keyid_invalid',
      "An agent's keyid is the thumbprint of its public key, which the signer cannot derive from this key: set clientId to it.",
    );
  const algorithm = (await sign.algorithm?.()) ?? signatureAlgorithm;
  return { name: keyid, algorithm: checkedAlgorithm(algorithm), sign, verifying: undefined };
}

function checkedAlgorithm(algorithm: string): AlgorithmName {
  const known = agentAlgorithms.find((name) => name === algorithm);
  if (known === undefined) throw otherAlgorithm();
  return known;
}

/** The error for keys that agents do not sign with. */
function otherAlgorithm(): SigningError {
  return new SigningError(
    'private_key_invalid',
    'Web Bot Auth is signed with Ed25519 or ECDSA P-256 here. Create such a key with npx countersign keygen --algorithm ed25519; a function that signs needs a property algorithm.',
  );
}

async function isBy(
  key: Messages.MessageVerifyingKey | undefined,
  {
    headers,
    signatureBase,
  }: { readonly headers: { readonly Signature: string }; readonly signatureBase: string },
): Promise<boolean> {
  if (key === undefined) return true;
  const signature = decodeBase64(headers.Signature.slice('sig=:'.length, -1))!;
  return key.verifies(new TextEncoder().encode(signatureBase), signature);
}

/** Scheme, host and port (RFC 3986 section 3.2), and visible ASCII that needs no escape in a string (RFC 8941 section 3.3.3). */
const agentUrl =
  /^(?:https:\/\/(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(?:[/?][!$-[\]-~]*)?$/;

/** @throws SigningError `request_invalid` */
function checkAgentUrl(text: string): void {
  const parts = typeof text === 'string' && text.length <= 2048 ? agentUrl.exec(text) : null;
  if (parts && Number(parts[1] ?? 1) <= 65_535 && URL.canParse(text)) return;
  throw new SigningError(
    'request_invalid',
    'The signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and backslashes; http only for localhost.',
  );
}
