import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import type { TimeWindow } from './time-window.ts';

/**
 * How a signature is written: data only, as JSON can hold it, from which the texts of its fields and its base follow.
 *
 * @typeParam Algorithm the names of algorithms that it can have
 */
export interface SignatureFormat<Algorithm extends string = string> {
  readonly id: string;
  /**
   * The label of the signature, in both fields (RFC 9421 section 4), and its purpose: labels are not signed (section 7.2.5),
   * tags are.
   */
  readonly select: { readonly label: string; readonly tag?: string };
  /** The covered components, in their order (RFC 9421 section 2). No others may be covered. */
  readonly components: { readonly required: readonly ComponentRule[] };
  /** The parameters, in the order in which signers write them (RFC 9421 section 2.3). No others may be there. */
  readonly parameters: Readonly<Partial<Record<ParameterName, ParameterRule>>>;
  /** The values of `alg`; it must also be the algorithm of the key. `Accept-Signature` asks for the request's, or for the first. */
  readonly algorithms: readonly [Algorithm, ...Algorithm[]];
}

/**
 * The rules that a client's signatures follow. `compile.ts` turns them into what the checks, the readers, the signers and
 * the texts of rejections use. `docs/profile.md` says the same in words.
 */
export interface Profile extends SignatureFormat<AlgorithmName> {
  readonly components: { readonly required: readonly RequestComponentRule[] };
  readonly time: TimeWindow;
  /** Requires `Date` to be covered, or lets a signer leave it out. A covered `Date` must always be close to `created`. */
  readonly date: 'covered and close' | 'optional';
  readonly limits: ProfileLimits;
}

/**
 * A component to cover: in every message, or only in one with a body, or in a response to a request that has a
 * `Content-Digest`. `Profile.date` can exempt `date`.
 */
export interface ComponentRule {
  /** A name, or one of the request that a response answers: `"@method";req` (RFC 9421 section 2.4). */
  readonly identifier: string;
  readonly when: 'always' | 'body' | 'request digest';
}

/** A component of a request to cover. */
export interface RequestComponentRule extends ComponentRule {
  readonly when: 'always' | 'body';
}

/** The parameters that some profile has. */
export type ParameterName = 'created' | 'expires' | 'keyid' | 'alg' | 'nonce' | 'tag';

/** `by setting` leaves it to the verifier's settings. */
export type ParameterRule = 'required' | 'by setting';

/** Maximum sizes; nothing larger is read. */
export interface ProfileLimits {
  /** Characters in each of `Signature-Input` and `Signature`. */
  readonly signatureFieldLengthMax: number;
  /** Characters in the target URI. */
  readonly targetUriLengthMax: number;
  readonly keyidLengthMax: number;
  readonly nonceLengthMin: number;
  readonly nonceLengthMax: number;
}

/** Forbids, allows or requires the `nonce` parameter. The default is `off`. */
export type NoncePolicy = 'off' | 'optional' | 'required';
