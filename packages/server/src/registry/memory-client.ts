import { NetworkWhitelist, type Permission } from '@countersign/contract';
import {
  keysUsableAt,
  type OwnRequestLimits,
  readVerificationKey,
  type RegisteredClient,
  type RequestLimit,
  type StoredKey,
  type UsableKey,
} from '@countersign/gate';
import { keyObjectThumbprint, type VerificationKey } from '@countersign/signature/node';
import { isProfileId } from '@countersign/signature/profile';
import type { AccountRules } from './store/account-rules.ts';
import type { ClientRecord } from './store/client-records.ts';
import { keyEndMs, type KeyLife, type KeyRecord } from './store/key-state.ts';

/** A client's roles and their permissions, shared by all clients with the same roles. */
export interface RoleSet {
  readonly roleIds: readonly string[];
  readonly names: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
}

/** A stored key, parsed and ready to verify, with the facts that decide when it verifies. */
export interface LoadedKey extends VerificationKey, KeyLife {
  readonly keyId: string;
  readonly fingerprint: string;
  /** The URL that its actor gives it; undefined for all other keys. */
  readonly publishedId: string | undefined;
}

/** The data that requests need from a client, taken from a record or from the in-memory client being replaced. */
export type ClientParts = Pick<
  MemoryClient,
  | 'clientId'
  | 'accountId'
  | 'name'
  | 'status'
  | 'profile'
  | 'directoryUrl'
  | 'allowExplanations'
  | 'requestLimit'
  | 'loadedKeys'
  | 'networkTexts'
>;

/** Returns the in-memory parts of a stored client that is active or disabled. */
export function partsOf(record: ClientRecord): ClientParts {
  return {
    clientId: record.clientId,
    accountId: record.accountId,
    name: record.name,
    status: record.status === 'active' ? 'active' : 'disabled',
    profile: record.profile,
    // Its keys come from there only once it has been fetched.
    directoryUrl: record.directory?.lastSuccessAtMs === undefined ? undefined : record.directory.url,
    allowExplanations: record.allowExplanations,
    requestLimit: requestLimitOf(record),
    loadedKeys: record.keys
      .filter((key) => key.status !== 'revoked' && key.status !== 'expired')
      .flatMap((key) => loadKey(key) ?? []),
    networkTexts: record.network.map(({ entry }) => entry),
  };
}

function loadKey(record: KeyRecord): LoadedKey | undefined {
  const key = readVerificationKey(record.spkiPem, record.algorithm);
  const { keyId, fingerprint, status, createdAtMs, startsAtMs, endsAtMs, publishedId } = record;
  return key && { ...key, keyId, fingerprint, status, createdAtMs, startsAtMs, endsAtMs, publishedId };
}

/** Returns the client's own limit; undefined, to save memory, for the many clients that have none. */
function requestLimitOf({ requestsPerMinuteMax, requestsBurstMax }: ClientRecord): RequestLimit | undefined {
  return requestsPerMinuteMax === undefined && requestsBurstMax === undefined
    ? undefined
    : { requestsPerMinuteMax, requestsBurstMax };
}

/**
 * A client in memory. Its keys are parsed in advance, so that its first request takes no longer than others.
 * Its network is parsed after a key has verified.
 */
export class MemoryClient implements RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly isAccountSuspended: boolean;
  readonly profile: string;
  readonly directoryUrl: string | undefined;
  readonly allowExplanations: boolean;
  readonly requestLimit: RequestLimit | undefined;
  readonly ownLimits: OwnRequestLimits | undefined;
  readonly loadedKeys: readonly LoadedKey[];
  readonly networkTexts: readonly string[];
  readonly roleSet: RoleSet;
  readonly rules: AccountRules;
  readonly #wallNowMs: () => number;
  readonly #keys: readonly StoredKey[];
  /** The keys that currently verify, and the period for which this selection is valid. */
  #usableKeys: readonly UsableKey[] = [];
  #usableFromMs: number = Infinity;
  #usableUntilMs: number = -Infinity;
  #network: NetworkWhitelist | undefined;
  #keyNames: readonly string[] | undefined;

  constructor(parts: ClientParts, roleSet: RoleSet, rules: AccountRules, wallNowMs: () => number) {
    this.clientId = parts.clientId;
    this.accountId = parts.accountId;
    this.name = parts.name;
    this.status = parts.status;
    this.isAccountSuspended = rules.isSuspended;
    this.profile = parts.profile;
    this.directoryUrl = parts.directoryUrl;
    this.allowExplanations = parts.allowExplanations;
    this.requestLimit = parts.requestLimit;
    this.ownLimits =
      parts.requestLimit || rules.requestLimit
        ? { account: rules.requestLimit ?? {}, client: parts.requestLimit ?? {} }
        : undefined;
    this.loadedKeys = parts.loadedKeys;
    this.networkTexts = parts.networkTexts;
    this.roleSet = roleSet;
    this.rules = rules;
    this.#keys = parts.loadedKeys.map((key) => ({
      algorithm: key.algorithm,
      keyObject: key.keyObject,
      signatureBytes: key.signatureBytes,
      greatestSignature: key.greatestSignature,
      keyId: key.keyId,
      fingerprint: key.fingerprint,
      isPending: key.status === 'pending',
      startsAtMs: key.startsAtMs,
      endsAtMs: keyEndMs(key, rules.keyAgeDaysMax),
    }));
    this.#wallNowMs = wallNowMs;
    this.#chooseKeys(wallNowMs());
  }

  /**
   * The thumbprints of its keys, and the URLs that its actor gives them, if its profile is not a closed one: only others name
   * keys in these ways.
   */
  get keyNames(): readonly string[] {
    if (isProfileId(this.profile)) return [];
    return (this.#keyNames ??= this.loadedKeys.flatMap(({ keyObject, publishedId }) => [
      keyObjectThumbprint(keyObject),
      ...(publishedId === undefined ? [] : [publishedId]),
    ]));
  }

  get roles(): readonly string[] {
    return this.roleSet.names;
  }

  get permissions(): ReadonlySet<Permission> {
    return this.roleSet.permissions;
  }

  get network(): NetworkWhitelist {
    return (this.#network ??= NetworkWhitelist.fromTexts(this.networkTexts));
  }

  /**
   * Selected once per period: selecting them on each request would reveal through timing which clients are in a
   * rollover.
   */
  get keys(): readonly UsableKey[] {
    const nowMs = this.#wallNowMs();
    if (!(nowMs >= this.#usableFromMs && nowMs < this.#usableUntilMs)) this.#chooseKeys(nowMs);
    return this.#usableKeys;
  }

  #chooseKeys(nowMs: number): void {
    const times = this.#keys.flatMap(({ startsAtMs, endsAtMs }) => [
      startsAtMs ?? -Infinity,
      endsAtMs ?? Infinity,
    ]);
    this.#usableKeys = keysUsableAt(this.#keys, nowMs);
    this.#usableFromMs = Math.max(-Infinity, ...times.filter((time) => time <= nowMs));
    this.#usableUntilMs = Math.min(Infinity, ...times.filter((time) => time > nowMs));
  }
}
