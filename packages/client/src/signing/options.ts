import type { BaseSigner } from '@countersign/signature';
import type { DefinedProfile, MessageAlgorithm } from '@countersign/signature/messages';
import type { KeySource } from './key-source.ts';

/** A `CryptoKey`, whichever library declares it. Pages should make theirs non-extractable: see `storedKey`. */
export interface SigningCryptoKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** Signs bytes. Without an `algorithm`, it signs with the profile's first one, as `signatureAlgorithm` names it. */
export type SignFunction = BaseSigner<Uint8Array | Promise<Uint8Array>>;

/** PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PKCS#8), a CryptoKey, a key source, or a function that signs. */
export type PrivateKey = string | SigningCryptoKey | KeySource | SignFunction;

/** How requests are signed by another profile than the service's own. */
export interface ProfileOptions {
  /**
   * The profile: the id of one that comes with `@countersign/signature/messages`, such as `fapi-2-request-01`, or what its
   * `defineProfile` returns.
   */
  readonly profile: DefinedProfile | string;
  /** The `keyid`, as the receiver knows the key. */
  readonly clientId: string;
  /** The algorithm, where the key does not determine it: for RSA keys, if the profile has several for them. */
  readonly algorithm?: MessageAlgorithm | undefined;
  /** One of the profile's tags. Default: its first. */
  readonly tag?: string | undefined;
  /** Components to cover in addition, where the profile permits it, such as `content-digest` or `content-type`. */
  readonly alsoCover?: readonly string[] | undefined;
}

/** The options that only `ProfileOptions` has. */
interface NoProfile {
  readonly profile?: undefined;
  readonly algorithm?: undefined;
  readonly tag?: undefined;
  readonly alsoCover?: undefined;
}

/**
 * How services know the signer: as a client of their registry, as an agent by its published keys, or by another profile's
 * `keyid`.
 */
export type SignerIdentity =
  | (NoProfile & {
      /** The Client ID from the portal. It becomes the `keyid`. */
      readonly clientId: string;
      readonly signatureAgent?: undefined;
    })
  | (NoProfile & {
      /**
       * The https URL of the JWK Set with the agent's public key. Requests are signed by Web Bot Auth, with an Ed25519 or ECDSA
       * P-256 key.
       */
      readonly signatureAgent: string;
      /** The thumbprint of the public key, only for a `privateKey` whose public half the signer cannot derive: a function, or a CryptoKey on the web. */
      readonly clientId?: string | undefined;
    })
  | (ProfileOptions & { readonly signatureAgent?: undefined });

/** Options that every runtime has. */
export interface SharedOptions {
  /** The passphrase of an encrypted private key. */
  readonly passphrase?: string | undefined;
  /**
   * Sends and signs `Date`. Default: true. Set it to false if the client is registered to omit it; pages
   * cannot set it.
   */
  readonly coverDate?: boolean | undefined;
  /** Adds a random `nonce` to each signature, for services that require one. Default: false. */
  readonly nonce?: boolean | undefined;
  /** The largest body that is buffered for its digest; a larger one is an error. Default: 10 MiB. */
  readonly bodyBytesMax?: number | undefined;
  /**
   * Turns a rejection into a `RefusedError` instead of an ordinary response. Never applies to 429 and 503, so
   * that retries of HTTP clients handle them. Default: true.
   */
  readonly throwsRefusals?: boolean | undefined;
  /**
   * Makes the adapters add a random `Idempotency-Key` to each POST, PATCH or other non-idempotent request
   * without one: the same for all attempts of a call. Only for APIs that honor it. Default: false.
   */
  readonly idempotencyKeys?: boolean | undefined;
  /**
   * The page of the error codes, if the service sets `problemTypeBase`. Default: any URL that ends with
   * `/docs/errors`.
   */
  readonly problemTypeBase?: string | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: the system's. */
  readonly now?: (() => number) | undefined;
}

/** Options of a signer. */
export type SignerOptions = SharedOptions & SignerIdentity & { readonly privateKey: PrivateKey };
