import type { NoncePolicy, ProfileId, RefusalCode, TimeWindow } from '@countersign/signature';
import type { CheckName } from '@countersign/signature/profile';
import type { Finding } from './findings/finding.ts';
import type { Judge } from './judge.ts';

/** A request as the service received it. */
export interface RequestToExplain {
  readonly method: string;
  /** The URL as the service builds it: the configured base URL and the raw target. */
  readonly targetUri: string;
  /** Raw header lines in the order received; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined if unknown (a service does not keep bodies), empty if the request had none. */
  readonly body?: Uint8Array | undefined;
}

/** A registered key. The explanation names the key that signed, so only pass keys that its reader may see. */
export interface CandidateKey {
  readonly spkiPem: string;
  readonly fingerprint: string;
  readonly clientId: string;
  readonly clientName?: string;
  readonly keyState: 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';
  /** Set if the key belongs to another environment of the account: that environment's name. */
  readonly environment?: string;
  /** The URL that the client's actor gives it, which other profiles may use as `keyid`. */
  readonly publishedId?: string;
  /** What the service accepts from an RSA key. Default: `rsa-v1_5-sha256`; by another profile, everything that it has. */
  readonly algorithms?: readonly string[];
}

export type OtherHash = 'md5' | 'sha1' | 'sha224' | 'sha384' | 'sha512';

export type HashName = OtherHash | 'sha256';

export interface HashFunction {
  (bytes: Uint8Array): Uint8Array;
  /** Hashes a text in UTF-8, with one character for each byte of the result. Saves copies where it is available. */
  readonly ofText?: (text: string) => string;
}

/** The available hash functions. Mistakes that need a missing one are not recognized. */
export type Hashes = Readonly<Partial<Record<HashName, HashFunction>>>;

export interface ExplainOptions {
  /** The service's clock when the request arrived, in Unix seconds. */
  readonly nowSeconds: number;
  readonly sha256: HashFunction;
  readonly hashes?: Partial<Record<OtherHash, HashFunction>>;
  /** Decompresses. Returns undefined for damaged input and for output beyond a sensible size. */
  readonly inflate?: (bytes: Uint8Array, format: 'gzip' | 'deflate') => Uint8Array | undefined;
  /** Compresses with gzip at the usual levels. */
  readonly gzip?: (bytes: Uint8Array) => readonly Uint8Array[];
  /** The signature base that the caller says it built. */
  readonly claimedBase?: string;
  /** All base URLs of the service. */
  readonly baseUrls?: readonly string[];
  /** The service's hosts behind its proxy, with ports. */
  readonly internalHosts?: readonly string[];
  readonly window?: TimeWindow;
  readonly nonce?: NoncePolicy;
  /** The client's profile. Default: `countersign`. */
  readonly profile?: ProfileId | undefined;
  /** The earlier way to say `profile: 'countersign-without-date'`. Ignored next to `profile`. */
  readonly acceptWithoutDate?: boolean | undefined;
  /** Judges by a profile that is not the service's own, in place of `profile`: `judgeBy` of the entry `profiles` makes it. */
  readonly judge?: Judge | undefined;
  /** The service's verdict. It has seen earlier uses of the signature; the request alone does not show them. */
  readonly refusedWith?: RefusalCode;
  /** Keeps the body's text out of the evidence, for explanations stored longer than bodies. */
  readonly omitBodyText?: boolean;
  /** The maximum number of texts to try: about 100 ms of an idle processor. Default: 64,000. */
  readonly hypothesesMax?: number;
  /** A clock in milliseconds. Without one, only the number of hypotheses is limited. */
  readonly monotonicMs?: () => number;
  /** An emergency brake: normally the number of texts ends a search first. Default: 1000. */
  readonly budgetMs?: number;
}

/** The result of one check of the profile (section 2.1). */
export interface CheckResult {
  readonly name: ExplainedCheckName;
  readonly state: 'passed' | 'failed' | 'not-reached';
  readonly facts: Readonly<Record<string, string | number>>;
}

/** The checks that a request, keys and a clock can decide: 1 to 8 and 12. */
export type ExplainedCheckName = Exclude<CheckName, 'active' | 'network' | 'permission' | 'replay'>;

/** What a client with a profile of its own should send. */
export interface WantedByProfile {
  /** The profile's name. */
  readonly profile: string;
  /** The whole `Signature-Input`, for this request with every finding fixed. Undefined if it is not known. */
  readonly signatureInput: string | undefined;
  /** The `Accept-Signature` that asks for it (RFC 9421 section 5.1). */
  readonly acceptSignature: string | undefined;
}

export interface Explanation {
  /** The verifier's verdict; always `refused` if the service says that it rejected the request. */
  readonly verdict: 'valid' | 'refused';
  readonly checks: readonly CheckResult[];
  /**
   * The signature base to sign with every finding fixed. Undefined if it depends on something that the
   * request does not show, such as the client ID or the intended body.
   */
  readonly base: string | undefined;
  /** Undefined if it was judged by the service's own profile. */
  readonly wanted?: WantedByProfile | undefined;
  /** Empty for a correct request. */
  readonly findings: readonly Finding[];
  /** False if the search ran out of budget. */
  readonly isComplete: boolean;
  /** The number of texts hashed. */
  readonly hypotheses: number;
}
