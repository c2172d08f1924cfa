import { type FindKey, KeyDirectory } from './key-directory.ts';
import { type JwkSet, readKeySet } from './key-set.ts';

/** Where the service's keys come from. */
export interface KeySourceOptions {
  /** The address of the keys: `/.well-known/http-message-signatures-directory` of the service. */
  readonly directoryUrl?: string | undefined;
  /** The keys, instead of `directoryUrl`. They change every day. */
  readonly keys?: JwkSet | undefined;
  /** DANGEROUS: an attacker on the network path to the directory can replace its keys. */
  readonly allowDirectoryWithoutTls?: boolean | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Returns the look-up of keys.
 *
 * @throws TypeError if the options are invalid
 */
export function keysOf(options: KeySourceOptions, nowMs: () => number): FindKey {
  const { directoryUrl, keys, allowDirectoryWithoutTls = false } = options;
  if ((directoryUrl === undefined) === (keys === undefined))
    throw new TypeError('Give either directoryUrl or keys.');
  if (keys !== undefined) {
    const fixed = readKeySet(keys);
    return async (keyid) => fixed.get(keyid) ?? 'unknown';
  }
  const problem = problemOfDirectoryUrl(directoryUrl!, allowDirectoryWithoutTls);
  if (problem !== undefined) throw new TypeError(problem);
  return new KeyDirectory({ url: directoryUrl!, fetch: options.fetch ?? fetch, nowMs }).find;
}

function problemOfDirectoryUrl(text: string, allowsPlainHttp: boolean): string | undefined {
  if (!URL.canParse(text)) return 'directoryUrl must be a URL.';
  const { protocol, hostname } = new URL(text);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && (isHere || allowsPlainHttp))) return undefined;
  return 'directoryUrl must begin with https: whoever answers in the place of the service chooses the keys.';
}
