import { readHeaders } from '../registry/store/webhook-headers.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Returns a webhook's custom headers as they are sent; undefined if they were encrypted with another setting. */
export function openHeaders(
  { webhookId, headers }: { readonly webhookId: string; readonly headers: string | null },
  secrets: WebhookSecrets,
): HeaderFields | undefined {
  const opened: [string, string][] = [];
  for (const [name, stored] of Object.entries(readHeaders(headers))) {
    const value = secrets.openHeader(webhookId, name, stored);
    if (value === undefined) return undefined;
    opened.push([name, value]);
  }
  return Object.fromEntries(opened);
}

const hidden = '(hidden)';

/** Returns custom headers as they are kept: without their values. */
export function hideValues(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, hidden]));
}

/**
 * Replaces the values of custom headers in a text, and their longer words, such as what follows `Bearer`: receivers repeat
 * requests in their error pages. Values that were changed, such as by Base64, stay: a receiver knows them anyway.
 */
export function hideValuesIn(text: string, headers: HeaderFields): string {
  const secret = Object.values(headers).flatMap((value) => [value, ...value.split(/[ \t]+/)]);
  const found = [...new Set(secret)].filter(({ length }) => length >= hiddenCharactersMin);
  let shown = text;
  for (const part of found.toSorted((one, other) => other.length - one.length))
    shown = withoutStart(shown.replaceAll(part, hidden), part);
  return shown;
}

/** Shorter texts are in any page by chance. */
const hiddenCharactersMin = 8;

/** The text may end in the middle of a value. */
function withoutStart(text: string, part: string): string {
  for (let length = part.length - 1; length >= hiddenCharactersMin; length -= 1)
    if (text.endsWith(part.slice(0, length))) return text.slice(0, -length) + hidden;
  return text;
}
