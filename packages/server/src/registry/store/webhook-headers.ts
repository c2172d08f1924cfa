import { webhookLimits } from '@countersign/contract';
import { RegistryError } from '../registry-error.ts';

/** Custom headers of a webhook: the values by name, as `WebhookSecrets` stores them. */
export type SealedHeaders = Readonly<Record<string, string>>;

/** A change of custom headers: null removes one. */
export type HeaderChange = Readonly<Record<string, string | null>>;

/** Returns custom headers from their column. */
export function readHeaders(stored: string | null): SealedHeaders {
  return stored === null ? {} : (JSON.parse(stored) as SealedHeaders);
}

/** Returns the column of custom headers. */
export function storedHeaders(headers: SealedHeaders): string | null {
  return Object.keys(headers).length === 0 ? null : JSON.stringify(headers);
}

/**
 * Returns custom headers after a change, in the order of their names.
 *
 * @throws RegistryError `webhook_invalid` if there are too many
 */
export function changedHeaders(present: SealedHeaders, change: HeaderChange): SealedHeaders {
  const all = new Map<string, string | null>([...Object.entries(present), ...Object.entries(change)]);
  const kept = [...all].filter((entry): entry is [string, string] => entry[1] !== null);
  const { headersMax } = webhookLimits;
  if (kept.length > headersMax)
    throw new RegistryError('webhook_invalid', `A webhook has at most ${headersMax} custom headers.`, {
      member: ['headers'],
    });
  return Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Describes custom headers for the audit log, by name and without anything of their values. One that is given again counts as
 * replaced, even by the same value: otherwise, values could be guessed.
 */
export function shownHeaders(
  names: readonly string[],
  isReplaced: (name: string) => boolean = () => false,
): Readonly<Record<string, 'set' | 'replaced'>> {
  return Object.fromEntries(names.map((name) => [name, isReplaced(name) ? 'replaced' : 'set']));
}
