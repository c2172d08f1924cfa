import type { ComponentList, NoncePolicy, TimeWindow } from './profile.ts';
import type { Refusal } from './refusal.ts';
import type { SignatureHeaders } from './request-headers.ts';
import type { SignatureInput } from './signature-fields.ts';

/** A value now, or a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Whether a value is to be waited for. */
export function isPromise<Value>(value: Awaitable<Value>): value is Promise<Value> {
  return typeof (value as Promise<Value> | undefined)?.then === 'function';
}

/** The parts of the profile that a verifier may set. */
export interface SignatureRules {
  readonly window: TimeWindow;
  readonly nonce: NoncePolicy;
}

/** A request to examine: everything the checks read from it before its body is there. */
export interface ExaminedRequest {
  readonly method: string;
  /** The configured base URL and the raw request target, as text. */
  readonly targetUri: string;
  readonly headers: SignatureHeaders;
  /** Whether a body comes; undefined when only reading tells (chunked coding). */
  readonly hasBody: boolean | undefined;
  /** Unix seconds, read once for the whole request. */
  readonly nowSeconds: number;
}

/**
 * One request on its way through the checks. The first group of members is given; each check adds what it has read for
 * those that follow. A member that no check has set yet is undefined, so a check that is skipped makes the next one throw.
 */
export class Examination<Client = unknown> implements ExaminedRequest {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: SignatureHeaders;
  readonly hasBody: boolean | undefined;
  readonly nowSeconds: number;
  readonly rules: SignatureRules;
  /** Set by whoever reads the body, before the check of the body; empty for none. */
  body!: Uint8Array;

  /** Check 3. */
  input!: SignatureInput;
  /** Check 3. The value of `@signature-params` (RFC 9421 section 2.3). */
  signatureParams!: string;
  /** Check 3. */
  signature!: Uint8Array<ArrayBuffer>;
  /** Check 4. Who the request claims to come from; `client` is who it comes from. */
  keyid!: string;
  /** Check 4. Unix seconds. */
  created!: number;
  /** Check 4. */
  alg!: string;
  /** Check 4. */
  nonce: string | undefined;
  /** Check 6. */
  components!: ComponentList;
  /** Check 7. Undefined when it is not covered. */
  date: string | undefined;
  /** Check 12, its form. Undefined when it is not covered. */
  contentDigest: string | undefined;
  /** Check 8. The signature base that the key must have signed (RFC 9421 section 2.5). */
  base!: string;
  /** Check 8. The client that has proved that it sent the request; undefined until then. */
  client: Client | undefined;
  /** Check 8. The position in the client's keys of the one that verified. */
  keyIndex!: number;

  constructor(request: ExaminedRequest, rules: SignatureRules) {
    this.method = request.method;
    this.targetUri = request.targetUri;
    this.headers = request.headers;
    this.hasBody = request.hasBody;
    this.nowSeconds = request.nowSeconds;
    this.rules = rules;
  }
}

/** What the checks ask of whoever verifies. All synchronous, or any of them not. */
export interface Means<Client = unknown> {
  /** The registered client with this keyid. */
  readonly findClient: (keyid: string) => Awaitable<Client | undefined>;
  /**
   * The position in the client's keys of the one that verifies the signature over the base, or -1. Does as much work for
   * a client that does not exist, so that time does not tell.
   */
  readonly findVerifyingKey: (
    client: Client | undefined,
    base: string,
    signature: Uint8Array<ArrayBuffer>,
  ) => Awaitable<number>;
  /** Whether the client's record lets it leave out `date`. */
  readonly acceptsWithoutDate: (client: Client) => boolean;
  /** Checks 9 to 11, for verifiers that know more of a client than its keys. Without them they are the caller's job. */
  readonly standing?: {
    readonly checkActive: (client: Client) => Refusal | undefined;
    readonly checkNetwork: (client: Client) => Refusal | undefined;
    readonly checkPermission: (client: Client) => Refusal | undefined;
  };
  /** The `Content-Digest` field of a body that is not empty. */
  readonly contentDigest: (body: Uint8Array) => Awaitable<string>;
  /** Uses the signature up; refuses one that was used before. */
  readonly useSignature: (examination: Examination<Client>) => Awaitable<Refusal | undefined>;
}
