import type { KeyStatus } from '../tables.ts';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { readAccountRules } from './account-rules.ts';
import { keyStatusAt } from './key-state.ts';

/** A key of an account, with its client. */
export interface AccountKey {
  readonly clientId: string;
  readonly clientName: string;
  readonly spkiPem: string;
  /** The only algorithm that it is used with; undefined for the usual one of its kind. */
  readonly algorithm: string | undefined;
  readonly fingerprint: string;
  /** The URL that its client's actor gives it; undefined for none. */
  readonly publishedId: string | undefined;
  /** The current status. */
  readonly status: KeyStatus;
}

export interface AccountKeyFilter {
  readonly accountId: string;
  /** The client whose keys come first; undefined for none. */
  readonly clientId: string | undefined;
  /** Maximum number of keys to read from the account's other clients, newest first. */
  readonly othersMax: number;
  readonly nowMs: number;
}

/**
 * Reads an account's keys in every state, revoked ones included: one client's keys first, then the newest of the
 * others.
 */
export async function readAccountKeys(
  database: Database,
  { accountId, clientId, othersMax, nowMs }: AccountKeyFilter,
): Promise<AccountKey[]> {
  return inSnapshot(database, async (transaction) => {
    const keys = transaction
      .selectFrom('client_keys')
      .innerJoin('clients', 'clients.client_id', 'client_keys.client_id')
      .select([
        'client_keys.client_id',
        'clients.name',
        'client_keys.spki_pem',
        'client_keys.algorithm',
        'client_keys.fingerprint',
        'client_keys.published_id',
        'client_keys.status',
        'client_keys.created_at_ms',
        'client_keys.starts_at_ms',
        'client_keys.ends_at_ms',
      ])
      .where('client_keys.account_id', '=', accountId)
      .orderBy('client_keys.key_id', 'desc');
    const own =
      clientId === undefined
        ? []
        : await keys.where('client_keys.client_id', '=', clientId).limit(ownMax).execute();
    const others = othersMax === 0 ? [] : await keys.limit(othersMax + own.length).execute();
    const rules = (await readAccountRules(transaction)).get(accountId);
    const isOther = (row: { readonly client_id: string }): boolean => row.client_id !== clientId;
    return [...own, ...others.filter(isOther).slice(0, othersMax)].map((row) => ({
      clientId: row.client_id,
      clientName: row.name,
      spkiPem: row.spki_pem,
      algorithm: row.algorithm ?? undefined,
      fingerprint: row.fingerprint,
      publishedId: row.published_id ?? undefined,
      status: keyStatusAt(
        {
          status: row.status,
          createdAtMs: row.created_at_ms,
          startsAtMs: row.starts_at_ms ?? undefined,
          endsAtMs: row.ends_at_ms ?? undefined,
        },
        rules?.keyAgeDaysMax,
        nowMs,
      ),
    }));
  });
}

const ownMax = 50;
