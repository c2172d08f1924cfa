import { webhookLimits } from './limits.ts';

/** RFC 9110 section 5.6.2. */
export const headerNamePattern: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 section 5.5, in ASCII: visible at both ends. */
export const headerValuePattern: RegExp = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Names of fields that the service sends itself, or that decide how a message is framed and forwarded. */
const reservedNames: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-digest',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'signature',
  'signature-agent',
  'signature-input',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const reservedPrefixes = ['proxy-', 'webhook-'] as const;

/** A custom header that cannot be sent. */
export interface HeaderProblem {
  /** The name as it was given; undefined if it is about all of them. */
  readonly name: string | undefined;
  readonly detail: string;
}

/** Returns true if a text can be the value of a custom header. */
export function isWebhookHeaderValue(value: string): boolean {
  return value.length <= webhookLimits.headerValueCharactersMax && headerValuePattern.test(value);
}

/** Checks the names of a webhook's custom headers. Case makes no difference. */
export function problemsOfHeaderNames(names: readonly string[]): readonly HeaderProblem[] {
  const { headersMax } = webhookLimits;
  if (names.length > headersMax)
    return [{ name: undefined, detail: `Give at most ${headersMax} custom headers.` }];
  const seen = new Set<string>();
  return names.flatMap((given) => {
    const name = given.toLowerCase();
    const detail = seen.has(name) ? 'Give each custom header once.' : problemOfName(name);
    seen.add(name);
    return detail === undefined ? [] : [{ name: given, detail }];
  });
}

function problemOfName(name: string): string | undefined {
  const { headerNameCharactersMax } = webhookLimits;
  if (name.length > headerNameCharactersMax || !headerNamePattern.test(name))
    return `Write the name of a header with 1 to ${headerNameCharactersMax} letters, digits and hyphens, such as x-api-key.`;
  if (reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix)))
    return 'Leave this header out: the service or HTTP itself sets it.';
  return undefined;
}
