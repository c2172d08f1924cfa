import { NetworkWhitelist, readNetworkEntry } from '@countersign/contract/network';
import type { Permission } from '@countersign/contract/permissions';
import type { StoredKey } from '@countersign/gate';
import {
  keyFingerprint,
  type ProfileId,
  type PublicKeyPolicy,
  readPublicKey,
  verificationKey,
} from '@countersign/signature/node';
import { isProfileId, profileOf, profiles } from '@countersign/signature/profile';
import { KnownClient } from './known-client.ts';

/** A client as your own code stores it. */
export interface ClientRecord {
  /** One key, or two during a rollover. */
  readonly keys: readonly (string | ClientKey)[];
  /** The addresses and networks from which it may call; `0.0.0.0` for everyone. */
  readonly network: readonly string[];
  /** Defaults to `active`. */
  readonly status?: 'active' | 'disabled';
  readonly accountId?: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  /** All of its permissions, as `resource:action`. */
  readonly permissions?: readonly string[];
  /** The profile that its signatures must follow. Defaults to `countersign`. */
  readonly profile?: ProfileId;
  /** The earlier way to say `profile: 'countersign-without-date'`. Ignored next to `profile`. */
  readonly acceptWithoutDate?: boolean;
}

/** A public key with the period in which it verifies. */
export interface ClientKey {
  /** In any form that `readPublicKey` reads: PEM or bare Base64, a certificate, a JWK, or a line of OpenSSH. */
  readonly publicKey: string;
  /** Identifies the key to your handlers. Defaults to its fingerprint. */
  readonly keyId?: string;
  readonly startsAt?: Date;
  readonly endsAt?: Date;
}

/** Reads client records, and examines each key text only once, because that takes tens of milliseconds. */
export class ClientReader {
  readonly #policy: PublicKeyPolicy;
  readonly #nowMs: () => number;
  readonly #keysByText = new Map<string, StoredKey>();

  constructor(policy: PublicKeyPolicy, nowMs: () => number) {
    this.#policy = policy;
    this.#nowMs = nowMs;
  }

  /** Returns the client. Throws TypeError, which says what is wrong and repeats no key. */
  read(clientId: string, record: ClientRecord): KnownClient {
    const { keys, network } = record;
    if (!Array.isArray(keys)) throw new TypeError(`The keys of the client ${clientId} must be an array.`);
    if (!Array.isArray(network))
      throw new TypeError(`The network of the client ${clientId} must be an array.`);
    const { status = 'active', accountId = '', name = '', roles = [], permissions = [] } = record;
    // Any other value could mean that the client must not call.
    if (status !== 'active' && status !== 'disabled')
      throw new TypeError(`The client ${clientId} must be "active" or "disabled".`);
    if (record.profile !== undefined && !isProfileId(record.profile))
      throw new TypeError(
        `The profile of the client ${clientId} must be one of ${Object.keys(profiles).join(', ')}.`,
      );
    const parts = {
      clientId,
      accountId,
      name,
      status,
      roles,
      permissions: new Set(permissions as readonly Permission[]),
      profile: profileOf(record),
      allowExplanations: false,
      network: networkOf(clientId, record.network),
      storedKeys: record.keys.map((key) =>
        this.#keyOf(clientId, typeof key === 'string' ? { publicKey: key } : key),
      ),
    };
    return new KnownClient(parts, this.#nowMs);
  }

  #keyOf(clientId: string, { publicKey, keyId, startsAt, endsAt }: ClientKey): StoredKey {
    const key = this.#examined(clientId, publicKey);
    // Every comparison with an invalid date is false, so the key would verify forever.
    if (
      [startsAt, endsAt].some(
        (date) => date !== undefined && !(date instanceof Date && isFinite(date.getTime())),
      )
    )
      throw new TypeError(`A key of the client ${clientId} has an invalid date.`);
    const times = { startsAtMs: startsAt?.getTime(), endsAtMs: endsAt?.getTime() };
    return { ...key, keyId: keyId ?? key.keyId, ...times };
  }

  #examined(clientId: string, publicKey: string): StoredKey {
    if (typeof publicKey !== 'string')
      throw new TypeError(`A key of the client ${clientId} must be a string; it is ${typeof publicKey}.`);
    const known = this.#keysByText.get(publicKey);
    if (known) return known;
    const reading = readPublicKey(publicKey, this.#policy);
    if (!reading.ok) throw new TypeError(`A key of the client ${clientId} was rejected: ${reading.message}`);
    const fingerprint = keyFingerprint(reading.key);
    const key: StoredKey = {
      ...verificationKey(reading.key),
      keyId: fingerprint,
      fingerprint,
      isPending: false,
      startsAtMs: undefined,
      endsAtMs: undefined,
    };
    if (this.#keysByText.size >= keysMax) this.#keysByText.clear();
    this.#keysByText.set(publicKey, key);
    return key;
  }
}

function networkOf(clientId: string, network: readonly string[]): NetworkWhitelist {
  const entries = network.map((text) => {
    const reading = readNetworkEntry(text);
    if (!reading.ok) throw new TypeError(`The network of the client ${clientId}: ${reading.message}`);
    return reading.entry;
  });
  return new NetworkWhitelist(entries);
}

/** Bounds the memory; far more keys than a lookup function usually serves. */
const keysMax = 100_000;
