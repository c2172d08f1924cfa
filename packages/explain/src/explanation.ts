import type { NoncePolicy, RefusalCode, TimeWindow } from '@countersign/signature';
import type { FindingCode } from './findings/findings.ts';

/** A request to explain, as it was received. */
export interface ReceivedRequest {
  /** As received. */
  readonly method: string;
  /** As the service builds it: the configured base URL and the raw target. */
  readonly targetUri: string;
  /** The raw lines, in their order; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: not known (a service does not keep bodies). Empty: there was none. */
  readonly body?: Uint8Array | undefined;
}

/** A registered key that the reader of the explanation may know of. Others must not be passed in. */
export interface CandidateKey {
  readonly spkiPem: string;
  readonly fingerprint: string;
  readonly clientId: string;
  readonly clientName?: string;
  readonly keyState: 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';
  /** The name of the environment, when the key belongs to another one of the account. */
  readonly environment?: string;
}

/** The hash functions beside SHA-256. Without one, mistakes that need it are not recognised. */
export type OtherHash = 'md5' | 'sha1' | 'sha384' | 'sha512';

/** A synchronous hash function. */
export type HashFunction = (bytes: Uint8Array) => Uint8Array;

/** What explaining needs from outside, and its limits. */
export interface ExplainOptions {
  /** The clock of the service when the request arrived, in Unix seconds. */
  readonly nowSeconds: number;
  readonly sha256: HashFunction;
  readonly hashes?: Partial<Record<OtherHash, HashFunction>>;
  /** Decompresses, and answers undefined for damage and for more output than is sensible. */
  readonly inflate?: (bytes: Uint8Array, format: 'gzip' | 'deflate') => Uint8Array | undefined;
  /** The signature base that the caller says it built. */
  readonly claimedBase?: string;
  /** Every base URL of the service. */
  readonly baseUrls?: readonly string[];
  /** The hosts by which the service is known behind its proxy, with ports. */
  readonly internalHosts?: readonly string[];
  readonly window?: TimeWindow;
  readonly nonce?: NoncePolicy;
  /** Whether the record of the client lets signatures leave out `date`. */
  readonly acceptWithoutDate?: boolean;
  /** What the service answered. It knows of uses of the signature, which the request does not tell. */
  readonly refusedWith?: RefusalCode;
  /** Leaves the text of the body out of the evidence, for explanations that are kept longer than bodies are. */
  readonly omitBodyText?: boolean;
  /** How many texts are tried. Default: 200,000. */
  readonly hypothesesMax?: number;
  /** A clock in milliseconds. Without one only the number of hypotheses is limited. */
  readonly monotonicMs?: () => number;
  /** Default: 200. */
  readonly budgetMs?: number;
}

/** How sure a finding is. */
export type Certainty =
  /** A hash that the caller made equals the hash of the text that this mistake builds. */
  | 'proven'
  /** Visible in the request itself. */
  | 'observed'
  /** A conclusion that could be otherwise. */
  | 'likely';

/** Two texts that should be equal. */
export interface Evidence {
  readonly expected: string;
  readonly received: string;
  /** Where they first differ, in code units. */
  readonly firstDifference: number;
}

/** One mistake that was found. */
export interface Finding {
  readonly code: FindingCode;
  readonly certainty: Certainty;
  /** What is wrong, in one sentence. */
  readonly what: string;
  /** What to do, in one sentence. */
  readonly mend: string;
  readonly evidence?: Evidence;
  /** The place in the documents that tells more. */
  readonly page: string;
}

/** What became of one check of the profile (section 2.1). */
export interface CheckResult {
  readonly name: CheckName;
  readonly state: 'passed' | 'failed' | 'not-reached';
  readonly facts: Readonly<Record<string, string | number>>;
}

/** The checks that a request, keys and a clock decide: 1 to 8 and 12. */
export type CheckName =
  | 'framing'
  | 'presence'
  | 'syntax'
  | 'parameters'
  | 'algorithm'
  | 'components'
  | 'time'
  | 'signature'
  | 'body';

/** Why a request was refused, as far as it can be told. */
export interface Explanation {
  /** The verifier's; refused in any case when the service says that it refused. */
  readonly verdict: 'valid' | 'refused';
  readonly checks: readonly CheckResult[];
  /** The signature base that this request must be signed over, once its fields are in order; undefined without one. */
  readonly base: string | undefined;
  /** Empty for a request without mistakes. */
  readonly findings: readonly Finding[];
  /** False when the budget ended the search. */
  readonly isComplete: boolean;
  /** How many texts were hashed. */
  readonly hypotheses: number;
}
