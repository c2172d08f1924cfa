import type { RequestHead, Route } from '../door.ts';
import type { Answer } from '../http/answer.ts';
import { valuesOf } from '../http/framing.ts';

/** Which pages of other origins may call a protected API from a browser (CORS). */
export interface CrossOrigin {
  /** Origins as browsers write them, such as `https://app.example.com`; `*` for every one. */
  readonly origins: ReadonlySet<string>;
  /** `answer`: the gateway is the one that allows. `forward`: the API decides, and gets preflights unsigned. */
  readonly preflights: 'answer' | 'forward';
}

type Fields = Readonly<Record<string, string>>;

/** A page's request to an API, as its origin concerns it. */
export interface PageCall {
  /** What a page needs to read a refusal, for the route. */
  readonly fields: Pick<Route, 'refusalHeaders' | 'answerHeaders'>;
  /** The method that the page wants to call with, if it is only asking whether it may: nobody can sign that. */
  readonly preflightFor: string | undefined;
}

/** Reads from where a browser sends a request. Undefined if no page that may call sends it. */
export function readPageCall(head: RequestHead, { origins, preflights }: CrossOrigin): PageCall | undefined {
  const [origin = '', ...others] = valuesOf(head.rawHeaders, 'origin');
  if (others.length > 0 || origin === '') return undefined;
  const allowed = origins.has('*') ? '*' : origins.has(origin) ? origin : undefined;
  if (allowed === undefined) return undefined;
  const fields: Fields = {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': exposed,
    Vary: 'Origin',
  };
  return {
    fields: { refusalHeaders: fields, ...(preflights === 'answer' && { answerHeaders: fields }) },
    preflightFor: preflightMethod(head),
  };
}

/** Answers a preflight. The answer is the same for every path, so that strangers learn no routes. */
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

/** Returns the method that a preflight asks for. Undefined for other requests: those with a body or a signature are none. */
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

/** What a client does something with: the reason of a refusal, when to try again, and which request it was. */
const exposed =
  'Accept-Signature, Allow, Client-Key-Retire-At, Countersign-Request-Id, RateLimit, RateLimit-Policy, Request-Id, ' +
  'Retry-After, WWW-Authenticate';
