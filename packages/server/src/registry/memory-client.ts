import { createPublicKey, type KeyObject } from 'node:crypto';
import { NetworkWhitelist, type Permission } from '@countersign/contract';
import type { RegisteredClient, UsableKey } from './registry.ts';
import type { ClientRecord, KeyRecord } from './store.ts';

/** The roles of a client and what they permit; shared by all clients with the same roles. */
export interface RoleSet {
  readonly roleIds: readonly string[];
  readonly names: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
}

/**
 * A client in memory. Keys and networks are read from their text when they are first asked for, so that starting with
 * very many clients is fast.
 */
export class MemoryClient implements RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly acceptWithoutDate: boolean;
  readonly roleSet: RoleSet;
  readonly #keyRecords: readonly KeyRecord[];
  /** Most keys have no dates, and then there is nothing to look at when they are used. */
  readonly #hasDates: boolean;
  readonly #networkTexts: readonly string[];
  readonly #wallNowMs: () => number;
  #keys: readonly TimedKey[] | undefined;
  #network: NetworkWhitelist | undefined;

  constructor(record: ClientRecord, roleSet: RoleSet, wallNowMs: () => number) {
    this.clientId = record.clientId;
    this.accountId = record.accountId;
    this.name = record.name;
    this.status = record.status === 'active' ? 'active' : 'disabled';
    this.acceptWithoutDate = record.acceptWithoutDate;
    this.roleSet = roleSet;
    this.#keyRecords = record.keys.filter((key) => key.status !== 'revoked' && key.status !== 'expired');
    this.#hasDates = this.#keyRecords.some(
      (key) => key.startsAtMs !== undefined || key.endsAtMs !== undefined,
    );
    this.#networkTexts = record.network.map(({ entry }) => entry);
    this.#wallNowMs = wallNowMs;
  }

  get roles(): readonly string[] {
    return this.roleSet.names;
  }

  get permissions(): ReadonlySet<Permission> {
    return this.roleSet.permissions;
  }

  get network(): NetworkWhitelist {
    return (this.#network ??= NetworkWhitelist.fromTexts(this.#networkTexts));
  }

  get usableKeys(): readonly UsableKey[] {
    const keys = (this.#keys ??= this.#keyRecords.flatMap(readStoredKey));
    if (!this.#hasDates) return keys;
    const nowMs = this.#wallNowMs();
    return keys.filter(
      ({ startsAtMs, endsAtMs }) => (startsAtMs ?? nowMs) <= nowMs && nowMs < (endsAtMs ?? Infinity),
    );
  }
}

interface TimedKey extends UsableKey {
  readonly startsAtMs: number | undefined;
  readonly endsAtMs: number | undefined;
}

/** A stored key that cannot be read verifies nothing: fail closed, and leave the other keys of the client usable. */
function readStoredKey(record: KeyRecord): TimedKey[] {
  let keyObject: KeyObject;
  try {
    keyObject = createPublicKey(record.spkiPem);
  } catch {
    return [];
  }
  // crypto.verify ignores the padding with keys of another type.
  if (keyObject.asymmetricKeyType !== 'rsa') return [];
  const { keyId, fingerprint, modulusBits, startsAtMs, endsAtMs } = record;
  return [{ keyId, fingerprint, keyObject, modulusBytes: Math.ceil(modulusBits / 8), startsAtMs, endsAtMs }];
}
