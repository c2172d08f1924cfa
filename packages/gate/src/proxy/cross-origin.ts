import type { RequestHead, Route } from '../door.ts';
import type { Answer } from '../http/answer.ts';
import { valuesOf } from '../http/framing.ts';

/** Decides which pages of other origins may call a protected API from a browser (CORS). */
export interface CrossOrigin {
  /** Origins as browsers write them, such as `https://app.example.com`; `*` for every one. */
  readonly origins: ReadonlySet<string>;
  /** `answer`: the gateway decides. `forward`: the API decides, and gets preflights unsigned. */
  readonly preflights: 'answer' | 'forward';
}

type Fields = Readonly<Record<string, string>>;

/** The cross-origin facts of a page's request to an API. */
export interface PageCall {
  /** The headers that let a page read a rejection, for the route. */
  readonly fields: Pick<Route, 'refusalHeaders' | 'answerHeaders'>;
  /** The method that a preflight asks about; undefined for an actual request. A preflight cannot be signed. */
  readonly preflightFor: string | undefined;
}

/**
 * Reads the origin of a request. Undefined if it does not come from a page that may call.
 *
 * @param isSigned true if the page may verify the signature of the response
 */
export function readPageCall(
  head: RequestHead,
  { origins, preflights }: CrossOrigin,
  isSigned: boolean,
): PageCall | undefined {
  const [origin = '', ...others] = valuesOf(head.rawHeaders, 'origin');
  if (others.length > 0 || origin === '') return undefined;
  const allowed = origins.has('*') ? '*' : origins.has(origin) ? origin : undefined;
  if (allowed === undefined) return undefined;
  const fields: Fields = {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': isSigned ? `${exposed}, ${exposedIfSigned}` : exposed,
    Vary: 'Origin',
  };
  return {
    fields: { refusalHeaders: fields, ...(preflights === 'answer' && { answerHeaders: fields }) },
    preflightFor: preflightMethod(head),
  };
}

/** Responds to a preflight. The response is the same for every path, so that strangers learn no routes. */
export function preflightAnswer(
  { rawHeaders }: RequestHead,
  method: string,
  { refusalHeaders }: PageCall['fields'],
): Answer {
  const names = valuesOf(rawHeaders, 'access-control-request-headers').join(',');
  return {
    status: 204,
    headers: {
      ...refusalHeaders,
      'Access-Control-Allow-Methods': method,
      ...(fieldNames.test(names) && { 'Access-Control-Allow-Headers': names }),
      'Access-Control-Max-Age': '7200',
      Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
  };
}

/**
 * Returns the method that a preflight asks for. Undefined for other requests; one with a body or a signature
 * is never a preflight.
 */
function preflightMethod({ method, rawHeaders, hasBody }: RequestHead): string | undefined {
  const [asked = '', ...others] = valuesOf(rawHeaders, 'access-control-request-method');
  const isSigned = ['signature', 'signature-input', 'upgrade'].some(
    (name) => valuesOf(rawHeaders, name).length > 0,
  );
  const isPreflight = method === 'OPTIONS' && hasBody === false && !isSigned && others.length === 0;
  return isPreflight && methodToken.test(asked) ? asked : undefined;
}

const methodToken = /^[A-Za-z][A-Za-z-]{0,31}$/;
const fieldNames = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/** Headers that a client's code needs: the reason of a rejection, when to retry, and the request's ID. */
const exposed =
  'Accept-Signature, Allow, Client-Key-Retire-At, Countersign-Request-Id, RateLimit, RateLimit-Policy, Request-Id, ' +
  'Retry-After, WWW-Authenticate';

const exposedIfSigned = 'Content-Digest, Signature, Signature-Input';
