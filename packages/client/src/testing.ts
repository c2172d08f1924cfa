/**
 * A verifier for tests: checks signed requests without a server. It is for tests of your own program, not for protecting
 * an API.
 *
 * @module
 */
import {
  createVerificationKey,
  type HeaderLines,
  MemoryReplayGuard,
  type NoncePolicy,
  type ProfileId,
  type VerificationKey,
  verifyRequest,
} from '@countersign/signature';

export interface TestVerifierOptions {
  readonly clientId: string;
  /** The public key of the client, such as SPKI PEM. */
  readonly publicKey: string;
  /** The client's profile. Default: `countersign`. */
  readonly profile?: ProfileId | undefined;
  /** The earlier way to say `profile: 'countersign-without-date'`. Ignored next to `profile`. */
  readonly acceptWithoutDate?: boolean | undefined;
  /** Forbids, allows or requires a `nonce`. Default: `off`. */
  readonly nonce?: NoncePolicy | undefined;
  /** The clock, in milliseconds. Default: the system's. */
  readonly now?: (() => number) | undefined;
}

/** A request as received. */
export interface RequestToVerify {
  readonly method: string;
  /** The full URL, as called. */
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body?: Uint8Array | string | null | undefined;
}

/** What the service would say about the request alone. */
export type TestVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** The service's code, as docs/errors.md explains them. */
      readonly code: string;
      readonly reason: string;
    };

/**
 * Creates a verifier with the service's checks of the request alone: the fields, the time, the signature, the
 * digest, and that it is not a repetition. Not checked: network, permissions, limits.
 *
 * @example
 * const verify = createTestVerifier({ clientId: 'test', publicKey });
 * assert.deepEqual(await verify({ method, url, headers, body }), { ok: true });
 */
export function createTestVerifier(
  options: TestVerifierOptions,
): (request: RequestToVerify) => Promise<TestVerdict> {
  const { clientId, publicKey, profile, acceptWithoutDate = false, nonce = 'off', now = Date.now } = options;
  const guard = new MemoryReplayGuard();
  let key: Promise<VerificationKey> | undefined;
  return async ({ method, url, headers, body }) => {
    // Tests may use published keys.
    key ??= createVerificationKey(publicKey, { allowPublishedTestKeys: true });
    const client = { keys: [await key], ...(profile && { profile }), acceptWithoutDate };
    const result = await verifyRequest(
      {
        method,
        targetUri: url,
        headers,
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
      },
      {
        clientByKeyid: (keyid) => (keyid === clientId ? client : undefined),
        guard,
        nonce,
        nowSeconds: () => now() / 1000,
      },
    );
    return result.ok ? { ok: true } : { ok: false, code: result.code, reason: result.reason };
  };
}
