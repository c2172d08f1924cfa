import type { NetworkWhitelist } from '@countersign/contract/network';
import type { Permission } from '@countersign/contract/permissions';
import { keysUsableAt, type RegisteredClient, type StoredKey, type UsableKey } from '@countersign/gate';

/** Everything about a client except which of its keys currently verify. */
export type KnownClientParts = Omit<RegisteredClient, 'keys'> & { readonly storedKeys: readonly StoredKey[] };

/** A client whose keys start and end by the clock. */
export class KnownClient implements RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly profile: string;
  readonly allowExplanations: boolean;
  readonly network: NetworkWhitelist;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
  readonly #storedKeys: readonly StoredKey[];
  readonly #nowMs: () => number;

  constructor(parts: KnownClientParts, nowMs: () => number) {
    this.clientId = parts.clientId;
    this.accountId = parts.accountId;
    this.name = parts.name;
    this.status = parts.status;
    this.profile = parts.profile;
    this.allowExplanations = parts.allowExplanations;
    this.network = parts.network;
    this.roles = parts.roles;
    this.permissions = parts.permissions;
    this.#storedKeys = parts.storedKeys;
    this.#nowMs = nowMs;
  }

  get keys(): readonly UsableKey[] {
    return keysUsableAt(this.#storedKeys, this.#nowMs());
  }
}
