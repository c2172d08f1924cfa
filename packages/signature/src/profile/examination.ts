import type { SignedMessage } from '../rfc9421/signature-base.ts';
import type { ComponentList } from './compile.ts';
import type { NoncePolicy } from './profile.ts';
import type { ProfileId } from './profiles.ts';
import type { Refusal } from './refusal.ts';
import type { SignatureHeaders } from './request-headers.ts';
import type { SignatureInput } from './signature-fields.ts';
import type { TimeWindow } from './time-window.ts';

/** A value, or a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;

export function isPromise<Value>(value: Awaitable<Value>): value is Promise<Value> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/** Continues with a value: at once, or when its promise resolves. So one list of steps serves both kinds of runtime. */
export function andThen<Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** The parts of the profile that a verifier can configure. */
export interface SignatureRules {
  readonly window: TimeWindow;
  readonly nonce: NoncePolicy;
}

/** A request to examine: everything that the checks read before its body has arrived. */
export interface ExaminedRequest {
  readonly method: string;
  /** The configured base URL and the raw request target, as text. */
  readonly targetUri: string;
  readonly headers: SignatureHeaders;
  /** True if a body follows; undefined if only reading can tell (chunked coding). */
  readonly hasBody: boolean | undefined;
  /** Unix seconds, read once per request. */
  readonly nowSeconds: number;
}

/** A body whose bytes are stored elsewhere, hashed by the code that read them. */
export interface HashedBody {
  /** In bytes. */
  readonly length: number;
  /** The expected `Content-Digest`. */
  readonly contentDigest: string;
}

/**
 * One request on its way through the checks. The first group of members is given; each check adds what it
 * read for later ones. Members start undefined, so skipping a check makes the next one throw.
 */
export class Examination<Client = unknown> implements ExaminedRequest, SignedMessage {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: SignatureHeaders;
  readonly hasBody: boolean | undefined;
  readonly nowSeconds: number;
  readonly rules: SignatureRules;
  /** Set by the body's reader before the body check; empty for no body. */
  body!: Uint8Array | HashedBody;

  /** Check 3. */
  input!: SignatureInput;
  /** Check 3. The value of `@signature-params` (RFC 9421 section 2.3). */
  signatureParams!: string;
  /** Check 3. */
  signature!: Uint8Array<ArrayBuffer>;
  /** Check 4. The client that the request claims to come from; `client` is the proven one. */
  keyid!: string;
  /** Check 4. Unix seconds. */
  created!: number;
  /** Check 4. After check 5, the name of an algorithm of the profile. */
  alg!: string;
  /** Check 4. */
  nonce: string | undefined;
  /** Check 6. */
  components!: ComponentList;
  /** Check 7. Undefined if it is not covered. */
  date: string | undefined;
  /** Check 7b. Undefined if it is not covered. */
  contentDigest: string | undefined;
  /** Check 8. The signature base that the key must have signed (RFC 9421 section 2.5). */
  base!: string;
  /** Check 8. The client that proved it sent the request; undefined until then. */
  client: Client | undefined;
  /** Check 8. The index, in the client's keys, of the one that verified. */
  keyIndex!: number;

  constructor(request: ExaminedRequest, rules: SignatureRules) {
    this.method = request.method;
    this.targetUri = request.targetUri;
    this.headers = request.headers;
    this.hasBody = request.hasBody;
    this.nowSeconds = request.nowSeconds;
    this.rules = rules;
  }

  /** The covered header fields, by lower-case name. */
  field(name: string): string | undefined {
    if (name === 'date') return this.date;
    return name === 'content-digest' ? this.contentDigest : undefined;
  }
}

/**
 * The functions that the verifier supplies to the checks. Either all are synchronous, or any of them may be
 * asynchronous.
 */
export interface Means<Client = unknown> {
  /** Returns the registered client with this keyid. */
  readonly findClient: (keyid: string) => Awaitable<Client | undefined>;
  /**
   * Returns the index, in the client's keys, of the one that verifies the signature over the base, or -1. Does as much
   * work for a client that does not exist, so that timing reveals nothing.
   */
  readonly findVerifyingKey: (
    client: Client | undefined,
    examination: Examination<Client>,
  ) => Awaitable<number>;
  /** Returns the profile that the client's signatures must follow. */
  readonly profileOf: (client: Client) => ProfileId;
  /**
   * Checks 9 to 11, for verifiers that know more about a client than its keys. Without them, these checks are
   * the caller's job.
   */
  readonly standing?: {
    readonly checkActive: (client: Client) => Refusal | undefined;
    readonly checkNetwork: (client: Client) => Refusal | undefined;
    readonly checkPermission: (client: Client) => Refusal | undefined;
  };
  /** Returns the `Content-Digest` field for a body that is not empty. */
  readonly contentDigest: (body: Uint8Array) => Awaitable<string>;
  /** Uses up the signature; rejects one that was used before. */
  readonly useSignature: (examination: Examination<Client>) => Awaitable<Refusal | undefined>;
}
