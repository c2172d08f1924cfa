import {
  type ClientReadiness,
  isClientId,
  pageLimits,
  profileChecks,
  readinessLimits,
} from '@countersign/contract';
import { type ClientUse, readClientUses } from '../../registry/store/last-uses.ts';
import {
  countVerdicts,
  type KeptRefusal,
  lastRefusals,
  type ListedClient,
  listOpenClients,
  refusedClients,
  startsBetween,
  type Verdicts,
} from '../../request-log/counts/readiness.ts';
import { spanMs } from '../../request-log/counts/request-counts.ts';
import { readUnattributedCounts } from '../../request-log/counts/unattributed-counts.ts';
import type { Database } from '../../storage/transaction.ts';
import { listedAccount } from '../caller-scope.ts';
import { pageOf, readCursor } from '../page.ts';
import { queryInvalid } from '../request-query.ts';
import { timestamp, timestampIfAny } from '../timestamp.ts';
import { defineReports } from './report-handlers.ts';

export const readinessReports = defineReports((database) => ({
  /** Lags a few seconds behind. */
  listReadiness: async ({ query }, request) => {
    const { nowMs } = request;
    const { limit = pageLimits.limitDefault } = query;
    const fromMs = firstDayMs(query.from, nowMs);
    const accountId = await listedAccount(request, query.accountId, database);
    const clients = await listOpenClients(database, {
      accountId,
      afterClientId: readCursor(query.cursor, isClientId),
      limit,
    });
    const facts = await readFacts(database, { accountId, clients: clients.slice(0, limit), fromMs, nowMs });
    const body = pageOf(
      clients,
      limit,
      ({ clientId }) => clientId,
      (client) => shown(client, facts),
    );
    return { status: 200, body };
  },

  /** Lags a few seconds behind. */
  listUnattributedRequests: async ({ query }, { nowMs }) => {
    const fromMs = firstDayMs(query.from, nowMs);
    const { sourcesMax } = readinessLimits;
    const { sources, otherRequests } = await readUnattributedCounts(database, { fromMs, sourcesMax });
    const items = sources.map(({ lastAtMs, ...source }) => ({ ...source, lastAt: timestamp(lastAtMs) }));
    return { status: 200, body: { items, otherRequests } };
  },
}));

/** The codes of failed checks. Other failures say nothing about a client's signatures and permissions. */
const refusalCodes = profileChecks.flatMap(({ codes }) => codes);

/** The caller's clock may differ by a few minutes. */
const toleranceMs = 600_000;

/** Returns the start of the first day, in UTC, of a report. */
function firstDayMs(from: number | undefined, nowMs: number): number {
  const { daysDefault, daysMax } = readinessLimits;
  const begin = from ?? nowMs - daysDefault * spanMs.day;
  if (begin > nowMs + toleranceMs) throw queryInvalid('from is a time in the past');
  if (begin < nowMs - daysMax * spanMs.day - toleranceMs)
    throw queryInvalid(`from is at most ${daysMax} days ago`);
  const reached = Math.min(begin, nowMs);
  return reached - (reached % spanMs.day);
}

interface Facts {
  readonly verdicts: ReadonlyMap<string, Verdicts>;
  readonly refusedLately: ReadonlySet<string>;
  readonly refusals: ReadonlyMap<string, KeptRefusal>;
  readonly uses: ReadonlyMap<string, ClientUse>;
}

async function readFacts(
  database: Database,
  {
    accountId,
    clients,
    fromMs,
    nowMs,
  }: {
    readonly accountId: string;
    readonly clients: readonly ListedClient[];
    readonly fromMs: number;
    readonly nowMs: number;
  },
): Promise<Facts> {
  const clientIds = clients.map(({ clientId }) => clientId);
  const filter = { accountId, clientIds, refusalCodes };
  const quietFromMs = nowMs - readinessLimits.quietHours * spanMs.hour;
  const verdicts = await countVerdicts(database, {
    ...filter,
    startsAtMs: startsBetween('day', fromMs, nowMs),
  });
  return {
    verdicts,
    refusedLately: await refusedClients(database, {
      ...filter,
      startsAtMs: startsBetween('hour', quietFromMs, nowMs),
    }),
    refusals: await lastRefusals(database, {
      refusalCodes,
      clientIds: clientIds.filter((clientId) => (verdicts.get(clientId)?.refused ?? 0) > 0),
      fromMs,
    }),
    uses: await readClientUses(database, clientIds),
  };
}

const nothing: Verdicts = { accepted: 0, refused: 0, observed: 0, codes: [] };

function shown(client: ListedClient, { verdicts, refusedLately, refusals, uses }: Facts): ClientReadiness {
  const { clientId } = client;
  const counted = verdicts.get(clientId) ?? nothing;
  const refusal = refusals.get(clientId);
  return {
    ...client,
    readiness: readinessOf(counted, refusedLately.has(clientId)),
    ...counted,
    lastAcceptedAt: timestampIfAny(uses.get(clientId)?.usedAtMs),
    lastRefusal: refusal && {
      requestId: refusal.requestId,
      receivedAt: timestamp(refusal.receivedAtMs),
      outcome: refusal.outcome,
      isObserved: refusal.isObserved,
      sourceAddress: refusal.sourceAddress,
    },
  };
}

function readinessOf(
  { accepted, refused }: Verdicts,
  isRefusedLately: boolean,
): ClientReadiness['readiness'] {
  if (accepted + refused === 0 && !isRefusedLately) return 'silent';
  return accepted > 0 && !isRefusedLately ? 'ready' : 'not_ready';
}
