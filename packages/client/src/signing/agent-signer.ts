import { type BaseSigner, signatureAlgorithm, SigningError } from '@countersign/signature';
import type { DefinedProfile } from '@countersign/signature/messages';
import type { BareSigner } from './request-signer.ts';

/** A key of an agent. */
export interface AgentKey {
  readonly sign: BaseSigner<Promise<Uint8Array>>;
  /** Returns the public half, whose thumbprint is the `keyid`; undefined if only its owner knows it. */
  readonly publicKey: (() => Promise<string>) | undefined;
}

export interface AgentSettings {
  /** The URL of the JWK Set with the public key. */
  readonly signatureAgent: string;
  /** The `keyid` of a key whose public half is not known. */
  readonly keyid: string | undefined;
  readonly key: () => Promise<AgentKey>;
  readonly nowMs: () => number;
}

const lifeSeconds = 300;
const algorithmNames: ReadonlySet<string> = new Set(['ed25519', 'ecdsa-p256-sha256']);

/**
 * Signs requests of an agent by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01), and more than that requires: the whole
 * request. Each signature has a nonce, so that no two are equal.
 *
 * @throws SigningError for an agent's URL that services could not fetch
 */
export function createAgentSigner({ signatureAgent, keyid, key, nowMs }: AgentSettings): BareSigner {
  checkAgentUrl(signatureAgent);
  const field = `sig="${signatureAgent}"`;
  return {
    async sign({ method, url, body }) {
      // Loaded by agents alone.
      const messages = await import('@countersign/signature/messages');
      const profile = (definedProfile ??= messages.defineProfile(messages.messageProfiles.webBotAuth01));
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? undefined);
      const request = {
        method: method.toUpperCase(),
        targetUri: typeof url === 'string' ? url : url.href,
        headers: [['Signature-Agent', field]] as const,
        body: bytes,
      };
      const created = Math.floor(nowMs() / 1000);
      for (;;) {
        const { sign, publicKey } = await key();
        const pem = await publicKey?.();
        const name = await thumbprintOf(pem, keyid, (text) =>
          messages.keyThumbprint(text, { allowPublishedTestKeys: true, modulusBitsMax: 8192 }),
        );
        const algorithm = (await sign.algorithm?.()) ?? signatureAlgorithm;
        if (!algorithmNames.has(algorithm)) throw otherAlgorithm();
        const signature = await messages
          .signMessage(request, {
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
          })
          .catch((error: unknown) => {
            throw error instanceof messages.MessageSigningError
              ? new SigningError('request_invalid', error.message)
              : error;
          });
        // The key may have been replaced meanwhile: its name and its signature must belong together.
        if ((await publicKey?.()) !== pem) continue;
        return {
          method: request.method,
          url: request.targetUri,
          body: bytes === undefined ? undefined : bytesOf(bytes),
          headers: { 'Signature-Agent': field, ...signature.headers },
          created,
          signatureBase: signature.signatureBase,
        };
      }
    },
  };
}

let definedProfile: DefinedProfile | undefined;
const thumbprints = new Map<string, string>();

async function thumbprintOf(
  pem: string | undefined,
  keyid: string | undefined,
  thumbprint: (pem: string) => Promise<string>,
): Promise<string> {
  if (pem === undefined) {
    if (keyid !== undefined) return keyid;
    throw new SigningError(
      'keyid_invalid',
      "An agent's keyid is the thumbprint of its public key, which is not known here: set clientId to it.",
    );
  }
  if (keyid !== undefined)
    throw new SigningError(
      'keyid_invalid',
      "An agent's keyid is the thumbprint of its key: leave out clientId.",
    );
  let name = thumbprints.get(pem);
  if (name === undefined) {
    name = await thumbprint(pem);
    // One key, and the one that replaces it.
    if (thumbprints.size > 8) thumbprints.clear();
    thumbprints.set(pem, name);
  }
  return name;
}

function otherAlgorithm(): SigningError {
  return new SigningError(
    'private_key_invalid',
    'Web Bot Auth is signed with Ed25519 or ECDSA P-256 here: npx countersign keygen --algorithm ed25519',
  );
}

/** @throws SigningError `request_invalid` */
function checkAgentUrl(text: string): void {
  const url = typeof text === 'string' && /^[!#-[\]-~]+$/.test(text) ? URL.parse(text) : null;
  const isLocal = url?.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (
    url !== null &&
    (url.protocol === 'https:' || isLocal) &&
    url.username === '' &&
    url.password === '' &&
    !text.includes('#')
  )
    return;
  throw new SigningError(
    'request_invalid',
    'signatureAgent must be the https URL of a JWK Set, in visible ASCII, without a user and a fragment.',
  );
}

function bytesOf(body: Uint8Array | ArrayBuffer | DataView): Uint8Array<ArrayBuffer> {
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
}
