import type {
  PublicKeyPolicy,
  Refusal,
  SignedRequest,
  SigningTime,
  RequestToSign,
} from '../../src/exports.ts';

/** One implementation of the library: Node's, or Web Crypto's on Node or in a browser. */
export interface Platform<Key = unknown> {
  readonly name: string;
  createSigner(options: { keyid: string; privateKey: string; passphrase?: string }): Promise<{
    sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest> | SignedRequest;
  }>;
  createBaseSigner(privateKey: string): Promise<(base: Uint8Array) => Promise<Uint8Array> | Uint8Array>;
  createVerificationKey(text: string, policy?: PublicKeyPolicy): Promise<Key>;
  /** Takes a SubjectPublicKeyInfo past the rules of registration, for vectors whose keys nobody could register. */
  importUnchecked(key: { readonly spkiDer: Uint8Array }): Promise<Key>;
  findVerifyingKey(
    keys: readonly Key[],
    signed: {
      readonly keyid: string;
      readonly alg: string;
      readonly base: string;
      readonly signature: Uint8Array<ArrayBuffer>;
    },
  ): Promise<number> | number;
  verify(
    request: VectorRequest,
    clients: ReadonlyMap<string, VectorClient<Key>>,
    nowSeconds: number,
  ): Promise<VerdictOf>;
}

export type VerdictOf = { readonly ok: true; readonly keyid: string } | Refusal;

export interface VectorRequest {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
}

export interface VectorClient<Key> {
  readonly keys: readonly Key[];
  readonly acceptWithoutDate?: boolean;
}

/** One test that runs on any platform; `skipped` says why it cannot run here. */
export interface ConformanceTest {
  readonly name: string;
  readonly skipped?: string;
  run(): Promise<void>;
}

/** Reads a vector file below `vectors/` (ours) or `shared/` (third-party); undefined when it is not there. */
export interface VectorSource {
  json(path: string): Promise<unknown>;
  bytes(path: string): Promise<Uint8Array | undefined>;
}

/** Fails with both values in the message. A browser has no node:assert. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) {
    throw new Error(`${what}\n  expected ${JSON.stringify(expected)}\n  actual   ${JSON.stringify(actual)}`);
  }
}
