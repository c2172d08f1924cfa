import { NetworkWhitelist, type Permission } from '@countersign/contract';
import {
  keysUsableAt,
  readStoredKey,
  type RegisteredClient,
  type StoredKey,
  type UsableKey,
} from '@countersign/gate';
import type { AccountRules } from './store/account-rules.ts';
import type { ClientRecord } from './store/client-records.ts';
import { keyEndMs, type KeyRecord } from './store/key-state.ts';

/** A client's roles and their permissions, shared by all clients with the same roles. */
export interface RoleSet {
  readonly roleIds: readonly string[];
  readonly names: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
}

/** The data that requests need from a client, taken from a record or from the in-memory client being replaced. */
export type ClientParts = Pick<
  MemoryClient,
  | 'clientId'
  | 'accountId'
  | 'name'
  | 'status'
  | 'acceptWithoutDate'
  | 'allowExplanations'
  | 'keyRecords'
  | 'networkTexts'
>;

/** Returns the in-memory parts of a stored client that is active or disabled. */
export function partsOf(record: ClientRecord): ClientParts {
  return {
    clientId: record.clientId,
    accountId: record.accountId,
    name: record.name,
    status: record.status === 'active' ? 'active' : 'disabled',
    acceptWithoutDate: record.acceptWithoutDate,
    allowExplanations: record.allowExplanations,
    keyRecords: record.keys.filter((key) => key.status !== 'revoked' && key.status !== 'expired'),
    networkTexts: record.network.map(({ entry }) => entry),
  };
}

/** A client in memory. Keys and networks are parsed on first use, so that starting with very many clients is fast. */
export class MemoryClient implements RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly acceptWithoutDate: boolean;
  readonly allowExplanations: boolean;
  readonly keyRecords: readonly KeyRecord[];
  readonly networkTexts: readonly string[];
  readonly roleSet: RoleSet;
  readonly #rules: AccountRules;
  /** Most keys have no dates, and then nothing needs checking when they are used. */
  readonly #hasDates: boolean;
  readonly #wallNowMs: () => number;
  #keys: readonly StoredKey[] | undefined;
  #network: NetworkWhitelist | undefined;

  constructor(parts: ClientParts, roleSet: RoleSet, rules: AccountRules, wallNowMs: () => number) {
    this.clientId = parts.clientId;
    this.accountId = parts.accountId;
    this.name = parts.name;
    this.status = parts.status;
    this.acceptWithoutDate = parts.acceptWithoutDate;
    this.allowExplanations = parts.allowExplanations;
    this.keyRecords = parts.keyRecords;
    this.networkTexts = parts.networkTexts;
    this.roleSet = roleSet;
    this.#rules = rules;
    this.#hasDates = this.keyRecords.some(
      (key) => key.startsAtMs !== undefined || keyEndMs(key, rules.keyAgeDaysMax) !== undefined,
    );
    this.#wallNowMs = wallNowMs;
  }

  /**
   * Returns the same client, rebuilt if its keys haven't been parsed yet, so that its data is close together in
   * memory.
   */
  compact(): MemoryClient {
    return this.#keys ? this : new MemoryClient(this, this.roleSet, this.#rules, this.#wallNowMs);
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

  get keys(): readonly UsableKey[] {
    const keys = (this.#keys ??= this.keyRecords.flatMap((record) => {
      const endsAtMs = keyEndMs(record, this.#rules.keyAgeDaysMax);
      return readStoredKey({ ...record, isPending: record.status === 'pending', endsAtMs }) ?? [];
    }));
    return this.#hasDates ? keysUsableAt(keys, this.#wallNowMs()) : keys;
  }
}
