import { NetworkWhitelist, readNetworkEntry } from '@countersign/contract/network';
import type { Permission } from '@countersign/contract/permissions';
import { problemOfBaseUrls, type RequestHead, type RequestRecord } from '@countersign/gate';
import type { AsyncReplayGuard, PublicKeyPolicy, TimeWindow } from '@countersign/signature/node';
import { rulesFrom, type SignatureRules } from '@countersign/signature/profile';
import type { ClientSource } from './clients/client-source.ts';
import type { FindClient } from './clients/looked-up-clients.ts';

/** A request whose framing is valid, before its signature is checked. */
export type RequestToPermit = Pick<RequestHead, 'method' | 'path' | 'query' | 'targetUri'>;

/** Options of `createVerifier`: `baseUrls`, and either `findClient` or `registry`. */
export interface VerifierOptions {
  /** The URLs that clients call, like `https://api.example.com`. The `Host` header selects one of them. */
  readonly baseUrls: readonly string[];
  /** Looks a client up in your own storage. Each client is looked up at most once a second. */
  readonly findClient?: FindClient;
  /** A service's registry: from `openServiceRegistry` or `followRegistry`. */
  readonly registry?: ClientSource;
  /** Rules for the keys that `findClient` returns. */
  readonly keyPolicy?: PublicKeyPolicy;
  /**
   * Prevents replays. Defaults to a guard in this process's memory, which rejects signatures from before its
   * start. Several processes need a shared guard; `openReplayGuard` keeps one on disk for a single process.
   */
  readonly guard?: AsyncReplayGuard;
  /** Proxies, as addresses and networks, whose `X-Forwarded-For` is trusted. Default none. */
  readonly trustedProxies?: readonly string[];
  /** The largest body, in bytes. Defaults to 1 MiB. */
  readonly bodyBytesMax?: number;
  /**
   * Returns the permission that a request needs, as `resource:action`; undefined if every active client may
   * make it. It gets the path as it was signed, which a router may read differently.
   */
  readonly permissionOf?: (request: RequestToPermit) => string | undefined;
  readonly window?: TimeWindow;
  readonly nonce?: SignatureRules['nonce'];
  /** The same limits as the service's; 0 for none. */
  readonly limits?: VerifierLimits;
  /** The address of the page that explains the codes. Defaults to `/docs/errors` below the first base URL. */
  readonly problemTypeBase?: string;
  /** Called after each response, for your log. Must not throw. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called with every unexpected error. Writes it to standard error by default. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** The clock, in milliseconds since 1970. */
  readonly nowMs?: () => number;
  /** A monotonic clock, in milliseconds, for the limits and the caching of `findClient`'s results. */
  readonly monotonicMs?: () => number;
}

/** Limits on the requests of a client and of an address. */
export interface VerifierLimits {
  /** The average number of requests per minute that each client may make; 0 for no limit. Default 6,000. */
  readonly clientRequestsPerMinuteMax?: number;
  /** Requests of a client that may arrive at once. Default 1,000. */
  readonly clientRequestsBurstMax?: number;
  /** Unauthenticated requests per minute that may fail from one address. Default 3,000. */
  readonly addressFailuresPerMinuteMax?: number;
}

/** Validated options. */
export interface ReadOptions {
  readonly trustedProxies: NetworkWhitelist;
  readonly bodyBytesMax: number;
  readonly limits: Required<VerifierLimits>;
  readonly problemTypeBase: string;
  readonly permissionOf: (request: RequestToPermit) => Permission | undefined;
  readonly rules: SignatureRules;
}

/** Reads the options. Throws a TypeError with all mistakes at once. */
export function readOptions(options: VerifierOptions): ReadOptions {
  if (typeof options !== 'object' || options === null) throw new TypeError("Pass the verifier's options.");
  const { baseUrls, trustedProxies = [], bodyBytesMax = 1_048_576, permissionOf } = options;
  const wrong = mistakenTypes(options);
  // The checks below need the right types.
  if (wrong.length > 0) throw new TypeError(wrong.join('\n'));
  const limits = { ...defaultLimits, ...options.limits };
  const proxies = trustedProxies.map((text) => readNetworkEntry(text));
  const mistakes = [
    baseUrls.length === 0 ? 'baseUrls is empty: list the URLs that clients call.' : undefined,
    sentence('baseUrls', problemOfBaseUrls(baseUrls)),
    (options.findClient === undefined) === (options.registry === undefined)
      ? 'Pass either findClient or registry.'
      : undefined,
    ...proxies.map((reading) => (reading.ok ? undefined : sentence('trustedProxies', reading.message))),
    isCount(bodyBytesMax) ? undefined : 'bodyBytesMax must be a whole number, 0 or more.',
    ...Object.entries(limits).map(([name, value]) =>
      isCount(value) ? undefined : `limits.${name} must be a whole number, 0 or more.`,
    ),
    limits.clientRequestsBurstMax === 0 ? 'limits.clientRequestsBurstMax must be 1 or more.' : undefined,
  ].filter((mistake) => mistake !== undefined);
  if (mistakes.length > 0) throw new TypeError(mistakes.join('\n'));
  return {
    trustedProxies: new NetworkWhitelist(proxies.flatMap((reading) => (reading.ok ? [reading.entry] : []))),
    bodyBytesMax,
    limits,
    problemTypeBase: options.problemTypeBase ?? `${baseUrls[0]}/docs/errors`,
    rules: rulesFrom(options),
    // No client holds a permission of another form, so such a request is rejected.
    permissionOf: (request) => permissionOf?.(request) as Permission | undefined,
  };
}

function mistakenTypes(options: VerifierOptions): readonly string[] {
  const { baseUrls, trustedProxies, limits, guard, registry } = options;
  // A misspelled `permissionOf` would let every client make every request.
  const unknown = [
    ...Object.keys(options).filter((name) => !Object.hasOwn(optionNames, name)),
    ...Object.keys(limits ?? {}).flatMap((name) =>
      Object.hasOwn(defaultLimits, name) ? [] : `limits.${name}`,
    ),
  ];
  const functions = ['findClient', 'permissionOf', 'onRequest', 'onError', 'nowMs', 'monotonicMs'] as const;
  return [
    ...unknown.map((name) => `${name} is not an option.`),
    isTexts(baseUrls) ? undefined : 'baseUrls must be an array of URLs.',
    trustedProxies === undefined || isTexts(trustedProxies)
      ? undefined
      : 'trustedProxies must be an array of addresses and networks.',
    limits === undefined || (typeof limits === 'object' && limits !== null)
      ? undefined
      : 'limits must be an object.',
    guard === undefined || typeof guard?.use === 'function'
      ? undefined
      : 'guard must be a replay guard, with a function `use`.',
    registry === undefined || typeof registry?.clientById === 'function'
      ? undefined
      : 'registry must come from openServiceRegistry or followRegistry.',
    ...functions.map((name) =>
      options[name] === undefined || typeof options[name] === 'function'
        ? undefined
        : `${name} must be a function.`,
    ),
    mistakeOf(() => rulesFrom(options)),
  ].filter((mistake) => mistake !== undefined);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function mistakeOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return (error as TypeError).message;
  }
}

const optionNames: Readonly<Record<keyof VerifierOptions, true>> = {
  baseUrls: true,
  findClient: true,
  registry: true,
  keyPolicy: true,
  guard: true,
  trustedProxies: true,
  bodyBytesMax: true,
  permissionOf: true,
  window: true,
  nonce: true,
  limits: true,
  problemTypeBase: true,
  onRequest: true,
  onError: true,
  nowMs: true,
  monotonicMs: true,
};

/** The service's own defaults. */
const defaultLimits: Required<VerifierLimits> = {
  clientRequestsPerMinuteMax: 6000,
  clientRequestsBurstMax: 1000,
  addressFailuresPerMinuteMax: 3000,
};

function sentence(option: string, mistake: string | undefined): string | undefined {
  return mistake === undefined ? undefined : `${option}: ${mistake}`;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
