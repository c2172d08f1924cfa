/**
 * The signing profile's facts, each stated once: component lists, names on the wire, time windows, limits.
 * `docs/profile.md` says the same in words.
 */

import { checkObject, wrongType } from '../arguments/check-argument.ts';
import { algorithms } from '../rfc9421/algorithms.ts';
import { type Component, component, signatureBase } from '../rfc9421/signature-base.ts';

/** The only label of the profile's signatures, in both fields (RFC 9421 section 4). */
export const signatureLabel = 'sig';

/** RSASSA-PKCS1-v1_5 with SHA-256, by its name in the registry of RFC 9421 section 6.2. */
export const signatureAlgorithm: string = algorithms['rsa-v1_5-sha256'].name;

/** A permitted list of covered components, with its text in Signature-Input. */
export interface ComponentList {
  /** The component identifiers, in order (RFC 9421 section 2). */
  readonly identifiers: readonly string[];
  readonly components: readonly Component[];
  /** The canonical inner list: `("@method" "@target-uri" …)`. */
  readonly text: string;
  readonly coversContentDigest: boolean;
  readonly coversDate: boolean;
}

/**
 * All permitted lists. The lists without `date` are for earlier signers, and only if the client's record
 * allows it.
 */
export const componentLists: readonly ComponentList[] = [
  componentList(['@method', '@target-uri', 'content-digest', 'date']),
  componentList(['@method', '@target-uri', 'date']),
  componentList(['@method', '@target-uri', 'content-digest']),
  componentList(['@method', '@target-uri']),
];

/** Returns the list for a request with or without a body, and with or without a covered Date. */
export function componentListFor(coversContentDigest: boolean, coversDate: boolean): ComponentList {
  return componentLists[(coversDate ? 0 : 2) + (coversContentDigest ? 0 : 1)]!;
}

/** Builds a request's signature base: it covers the components that have a value. */
export function profileSignatureBase(request: {
  readonly method: string;
  readonly targetUri: string;
  readonly contentDigest: string | undefined;
  readonly date: string | undefined;
  /** The value of `@signature-params`. */
  readonly signatureParams: string;
}): string {
  const { method, targetUri, contentDigest, date, signatureParams } = request;
  const { components } = componentListFor(contentDigest !== undefined, date !== undefined);
  const field = (name: string): string | undefined => (name === 'date' ? date : contentDigest);
  return signatureBase(components, { method, targetUri, field }, signatureParams);
}

/** Limits on the differences between a signature's times and the verifier's clock, and between each other. */
export interface TimeWindow {
  /** The maximum age of `created`, inclusive. */
  readonly maxAgeSeconds: number;
  /** The maximum lead of `created` over the verifier's clock, inclusive. */
  readonly maxFutureSeconds: number;
  /** The maximum difference between `Date` and `created`, inclusive. */
  readonly maxDateDifferenceSeconds: number;
}

/** The profile's window. */
export const profileTimeWindow: TimeWindow = {
  maxAgeSeconds: 300,
  maxFutureSeconds: 60,
  maxDateDifferenceSeconds: 60,
};

/** @throws TypeError if one of the window's numbers is missing, negative or not a number */
export function checkTimeWindow(window: TimeWindow, name: string = 'window'): void {
  checkObject(window, name);
  for (const member of ['maxAgeSeconds', 'maxFutureSeconds', 'maxDateDifferenceSeconds'] as const) {
    const value = window[member];
    if (!(Number.isFinite(value) && value >= 0))
      throw wrongType(`${name}.${member}`, value, 'a number of seconds, 0 or more');
  }
}

/** Forbids, allows or requires the `nonce` parameter. The profile uses `off`. */
export type NoncePolicy = 'off' | 'optional' | 'required';

/** Maximum sizes; nothing larger is read. */
export const profileLimits = {
  /** Characters in each of `Signature-Input` and `Signature`. */
  signatureFieldLengthMax: 4096,
  /** Characters in the target URI: an 8 KiB target and its origin. */
  targetUriLengthMax: 8492,
  keyidLengthMax: 256,
  nonceLengthMin: 16,
  nonceLengthMax: 64,
} as const;

function componentList(identifiers: readonly string[]): ComponentList {
  return {
    identifiers,
    components: identifiers.map(component),
    text: `(${identifiers.map((identifier) => `"${identifier}"`).join(' ')})`,
    coversContentDigest: identifiers.includes('content-digest'),
    coversDate: identifiers.includes('date'),
  };
}
