import { type AlertCondition, type AlertConditionKind, alertLimits } from '@countersign/contract';
import { readLastUses } from '../../registry/store/last-uses.ts';
import { minuteMs, readRecentRequests } from '../../request-log/counts/request-minutes.ts';
import type { Database } from '../../storage/transaction.ts';
import { findKeysThatEnd } from './keys-that-end.ts';

/** What a condition looks at. */
export interface MeasuredPlace {
  readonly accountId: string;
  /** Undefined for the whole account. */
  readonly clientId: string | undefined;
  readonly nowMs: number;
  /** Addresses from before are not new. */
  readonly watchedFromMs: number;
}

/** Something for which a condition holds. */
export interface Finding {
  /** Distinguishes it from what the same rule finds else. */
  readonly subject: string;
  readonly clientId?: string | undefined;
  readonly value: number | null;
  readonly requests?: number;
  readonly keyId?: string;
  readonly dueAt?: string;
  readonly sourceAddress?: string;
  /** True for what keeps an alert, but is too late to fire. */
  readonly isOver?: boolean;
}

export interface Measured {
  /** Null if there is nothing to measure. */
  readonly value: number | null;
  readonly requests?: number;
  readonly findings: readonly Finding[];
}

/** Measures a condition now. Reads a bounded number of rows, never the requests themselves. */
export function measure(
  database: Database,
  condition: AlertCondition,
  place: MeasuredPlace,
): Promise<Measured> {
  return measures[condition.kind](database, condition, place);
}

type Measure = (database: Database, condition: AlertCondition, place: MeasuredPlace) => Promise<Measured>;

const measures: Readonly<Record<AlertConditionKind, Measure>> = {
  failure_rate: async (database, { percentAbove = 100, requestsMin = Infinity, minutes = 0 }, place) => {
    const { passed, failed } = await readRecentRequests(database, { ...place, minutes });
    const requests = passed + failed;
    const isMet = requests >= requestsMin && failed * 100 > requests * percentAbove;
    const value = requests === 0 ? null : Math.round((failed * 1000) / requests) / 10;
    return { value, requests, findings: isMet ? [{ ...whole(place), value, requests }] : [] };
  },

  no_requests: async (database, { minutes = Infinity }, place) => {
    const { accountId, clientId, nowMs } = place;
    const [subject, id] =
      clientId === undefined ? (['account', accountId] as const) : (['client', clientId] as const);
    const lastMs = (await readLastUses(database, subject, [id])).get(id);
    if (lastMs === undefined) return { value: null, findings: [] };
    const value = Math.max(0, Math.floor((nowMs - lastMs) / minuteMs));
    return { value, findings: nowMs - lastMs >= minutes * minuteMs ? [{ ...whole(place), value }] : [] };
  },

  key_due: async (database, { days = 0 }, place) => {
    const keys = await findKeysThatEnd(database, { ...place, days });
    const findings = keys.map(({ keyId, clientId, endMs }) => ({
      subject: keyId,
      clientId,
      keyId,
      dueAt: new Date(endMs).toISOString(),
      value: Math.max(0, Math.floor((endMs - place.nowMs) / dayMs)),
      isOver: endMs <= place.nowMs,
    }));
    return { value: findings.filter(({ isOver }) => !isOver).length, findings };
  },

  new_address: async (database, _condition, place) => {
    const rows = await findNewAddresses(database, place);
    const findings = rows.map(({ client_id: clientId, address }) => ({
      subject: `${clientId} ${address}`,
      clientId,
      sourceAddress: address,
      value: 1,
    }));
    return { value: rows.length, findings };
  },

  rate_limited: async (database, { timesAbove = Infinity, minutes = 0 }, place) => {
    const { rateLimited: value } = await readRecentRequests(database, { ...place, minutes });
    return { value, findings: value > timesAbove ? [{ ...whole(place), value }] : [] };
  },
};

const dayMs = 86_400_000;

/** A finding about the whole that a rule looks at. */
function whole({ clientId }: MeasuredPlace): Pick<Finding, 'subject' | 'clientId'> {
  return { subject: '', clientId };
}

interface NewAddress {
  readonly client_id: string;
  readonly address: string;
}

/**
 * Finds addresses that clients began to use lately, of clients whose other addresses have been known for a day: many more of
 * the first ones than can fire.
 */
async function findNewAddresses(
  database: Database,
  { accountId, clientId, nowMs, watchedFromMs }: MeasuredPlace,
): Promise<readonly NewAddress[]> {
  const newMs = alertLimits.newAddressHours * 3_600_000;
  let query = database
    .selectFrom('client_addresses as new')
    .innerJoin('clients', 'clients.client_id', 'new.client_id')
    .select(['new.client_id', 'new.address'])
    .where('new.account_id', '=', accountId)
    .where('new.first_at_ms', '>', nowMs - newMs)
    .where('new.first_at_ms', '>=', watchedFromMs)
    .where('clients.status', '=', 'active')
    .where((row) =>
      row.exists(
        row
          .selectFrom('client_addresses as known')
          .select('known.address')
          .whereRef('known.client_id', '=', 'new.client_id')
          .where('known.first_at_ms', '<', row(row.ref('new.first_at_ms'), '-', newMs)),
      ),
    );
  if (clientId !== undefined) query = query.where('new.client_id', '=', clientId);
  return query.orderBy('new.first_at_ms').limit(addressesMax).execute();
}

const addressesMax = 1000;
