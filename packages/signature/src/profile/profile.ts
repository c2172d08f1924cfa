/**
 * The facts of the signing profile, each once: the component lists, the names on the wire, the windows, the limits.
 * `docs/profile.md` says the same in words.
 */

import { algorithms } from '../rfc9421/algorithms.ts';
import { signatureBase } from '../rfc9421/signature-base.ts';

/** The one label that a signature of the profile has in both fields (RFC 9421 section 4). */
export const signatureLabel = 'sig';

/** RSASSA-PKCS1-v1_5 with SHA-256, by its name in the registry of RFC 9421 section 6.2. */
export const signatureAlgorithm: string = algorithms['rsa-v1_5-sha256'].name;

/** One permitted list of covered components, with the text that it has in Signature-Input. */
export interface ComponentList {
  /** The component identifiers in their order (RFC 9421 section 2). */
  readonly identifiers: readonly string[];
  /** The canonical inner list: `("@method" "@target-uri" …)`. */
  readonly text: string;
  readonly coversContentDigest: boolean;
  readonly coversDate: boolean;
}

/** The lists that the profile knows. Those without `date` are for the earlier signers, by the client's record only. */
export const componentLists: readonly ComponentList[] = [
  componentList(['@method', '@target-uri', 'content-digest', 'date']),
  componentList(['@method', '@target-uri', 'date']),
  componentList(['@method', '@target-uri', 'content-digest']),
  componentList(['@method', '@target-uri']),
];

/** The list for a request with or without a body, with or without a covered Date. */
export function componentListFor(coversContentDigest: boolean, coversDate: boolean): ComponentList {
  return componentLists[(coversDate ? 0 : 2) + (coversContentDigest ? 0 : 1)]!;
}

/** The signature base of a request: the covered components are those that have a value. */
export function profileSignatureBase(request: {
  readonly method: string;
  readonly targetUri: string;
  readonly contentDigest: string | undefined;
  readonly date: string | undefined;
  /** The value of `@signature-params`. */
  readonly signatureParams: string;
}): string {
  const { method, targetUri, contentDigest, date, signatureParams } = request;
  const { identifiers } = componentListFor(contentDigest !== undefined, date !== undefined);
  const fields = { 'content-digest': contentDigest, date };
  return signatureBase(identifiers, { method, targetUri, fields }, signatureParams);
}

/** How far a signature's times may be from the verifier's clock and from each other. */
export interface TimeWindow {
  /** How old `created` may be, inclusive. */
  readonly maxAgeSeconds: number;
  /** How far ahead of the verifier's clock `created` may be, inclusive. */
  readonly maxFutureSeconds: number;
  /** How far `Date` may be from `created`, inclusive. */
  readonly maxDateDifferenceSeconds: number;
}

/** The window of the profile. */
export const profileTimeWindow: TimeWindow = {
  maxAgeSeconds: 300,
  maxFutureSeconds: 60,
  maxDateDifferenceSeconds: 60,
};

/** Whether signatures may or must carry the `nonce` parameter. The profile has it `off`. */
export type NoncePolicy = 'off' | 'optional' | 'required';

/** Sizes beyond which nothing is read. */
export const profileLimits = {
  /** Characters in each of `Signature-Input` and `Signature`. */
  signatureFieldLengthMax: 4096,
  /** Characters of the target URI: an 8 KiB target and its origin. */
  targetUriLengthMax: 8492,
  keyidLengthMax: 256,
  nonceLengthMin: 16,
  nonceLengthMax: 64,
} as const;

function componentList(identifiers: readonly string[]): ComponentList {
  return {
    identifiers,
    text: `(${identifiers.map((identifier) => `"${identifier}"`).join(' ')})`,
    coversContentDigest: identifiers.includes('content-digest'),
    coversDate: identifiers.includes('date'),
  };
}
