import type { FieldTypes } from '../rfc9421/component-value.ts';
import type { SignatureParameters } from '../rfc9421/signature-members.ts';
import type { MessageAlgorithm } from './algorithms.ts';

/**
 * What a signature must be to count: data only, as JSON can hold it. `defineProfile` checks it as a whole, and everything
 * else follows from it: how messages are signed and verified, `Accept-Signature`, and a page for people.
 */
export interface MessageProfile {
  /** A word with its revision: `web-bot-auth-01`. */
  readonly id: string;
  /** For people: the name of what it is a profile of, and the text that defines it. */
  readonly title: string;
  readonly source?: string;
  /** Sentences for people: who signs by it, and where it differs from its source. */
  readonly notes?: readonly string[];
  readonly message: 'request' | 'response';
  /** Which of several signatures counts. The others do not, as long as the fields can be read. Two that count are rejected. */
  readonly select?: {
    readonly label?: string;
    /** The tag, or one of these. */
    readonly tag?: string | readonly string[];
    /** True if one without a tag counts too. */
    readonly untagged?: boolean;
    /** True if only one with the required parameters and components counts. */
    readonly complete?: boolean;
  };
  readonly components: {
    readonly required: readonly MessageComponentRule[];
    /** What else may be covered. */
    readonly others: 'none' | 'any';
    /** `fixed`: exactly the required ones that apply, in their order. */
    readonly order?: 'fixed' | 'free';
  };
  /** Parameters that are not here must not be there. */
  readonly parameters: Readonly<Partial<Record<keyof SignatureParameters, 'required' | 'allowed'>>>;
  /** It must also be the algorithm of the key. */
  readonly algorithms: readonly MessageAlgorithm[];
  readonly time: {
    /** The maximum age of `created`. */
    readonly maxAgeSeconds?: number;
    /** The maximum lead of `created` over the verifier's clock. */
    readonly maxFutureSeconds?: number;
    /** The maximum time from `created` to `expires`. */
    readonly maxLifeSeconds?: number;
    /** How long after `expires` a signature is still accepted, for clocks that differ. Defaults to 0. */
    readonly expiresGraceSeconds?: number;
    /** True for a profile whose signatures need no time at all. Whoever sees one can use it forever. */
    readonly neverExpires?: boolean;
  };
  /**
   * What a replay is recognized by, together with the key: the nonce, the signature base, the nonce or else the base. With `nonce if
   * sent`, a signature without one can be sent again. `off` is for responses, and for services that prevent replays
   * themselves.
   */
  readonly replay: 'nonce' | 'base' | 'nonce or base' | 'nonce if sent' | 'off';
  /** Maximum characters of `nonce`, and minimum. Defaults to 1 and 256. */
  readonly nonceLength?: { readonly min: number; readonly max: number };
  /** The digest algorithms of `Content-Digest` (RFC 9530) that count; one of them must be there. Signers use the first. */
  readonly digests?: readonly DigestAlgorithm[];
  /** The types of structured fields that the registry does not have. */
  readonly fieldTypes?: FieldTypes;
}

/** A component to cover. */
export interface MessageComponentRule {
  /** Its identifier as in `Signature-Input`; the quotes may be left out without parameters. Or several, one of which is required. */
  readonly identifier: string | readonly string[];
  /** True if it must have a parameter `key`, whichever (RFC 9421 section 2.1.2). */
  readonly anyKey?: boolean;
  /** Which messages it must be covered in. Defaults to `always`. */
  readonly when?: ComponentCondition;
}

/** In every message, in one with a body, with a query, with the component in it, or in requests with one of these methods. */
export type ComponentCondition =
  | 'always'
  | 'body'
  | 'query'
  | 'present'
  | { readonly methods: readonly string[] };

/** A digest algorithm of RFC 9530 section 5. */
export type DigestAlgorithm = 'sha-256' | 'sha-512';

/** What signatures can bind; header fields are bound where a profile lists them. `request`: its method and target URI. */
export type BoundPart = 'method' | 'authority' | 'path' | 'query' | 'body' | 'status' | 'request';
