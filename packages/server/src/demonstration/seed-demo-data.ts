import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@countersign/contract';
import type { Registry } from '@countersign/gate';
import type { SignatureRules } from '@countersign/signature/profile';
import type { FailureExplanations } from '../explanations/failure-explanations.ts';
import type { People } from '../people/identity/identity.ts';
import { forgetDemoRequests, hasDemoData, markDemoPeople } from '../registry/store/demo-data.ts';
import type { Database } from '../storage/transaction.ts';
import type { RequestStore } from '../request-log/writing/request-store.ts';
import { demoMembers } from './demo-clients.ts';
import {
  acceptedRequest,
  type DecidedRequest,
  refusedRequest,
  type RegisteredDemoClient,
} from './demo-decisions.ts';
import { actorsOf, writeHistory } from './demo-history.ts';
import { makeDemoKeys } from './demo-keys.ts';
import { demoDays, planTraffic } from './demo-traffic.ts';
import { seededRandom } from './seeded-random.ts';

/** The parts of the running service that write real traffic. */
export interface DemoDataParts {
  readonly database: Database;
  readonly registry: Pick<Registry, 'refresh'>;
  readonly requestStore: Pick<RequestStore, 'add' | 'flush'>;
  readonly explanations: Pick<FailureExplanations, 'explainPast'>;
  readonly people: Pick<People, 'addMember'> | undefined;
  readonly rules: SignatureRules;
  readonly baseUrl: string;
  readonly nowMs: () => number;
}

export interface DemoDataOptions {
  readonly accountId: string;
  /** The same seed gives the same clients, requests and changes. */
  readonly seed?: number;
  readonly signal: AbortSignal;
}

/**
 * Writes 30 days of sample traffic into an account, with the code that writes real traffic: eight clients,
 * their requests, rejections with explanations, key rotations and changes by a team. It works in small batches
 * with pauses, so that real requests are hardly affected. If the data is removed meanwhile, it stops and
 * removes everything it has written since.
 */
export async function seedDemoData(parts: DemoDataParts, options: DemoDataOptions): Promise<void> {
  const { database, registry, people } = parts;
  const { accountId, seed = 20, signal } = options;
  const endMs = parts.nowMs();
  const random = seededRandom(seed);
  const requests = planTraffic(random, endMs);
  const keys = await makeDemoKeys(endMs);
  signal.throwIfAborted();
  const members = actorsOf(await addTeam(people, parts.database, accountId, endMs));
  const clients = await writeHistory({ database, accountId, keys, members, random, endMs, signal });
  await registry.refresh();
  const byClient = new Map(clients.map((registered) => [registered.client, registered]));
  for (let start = 0; start < requests.length; start += requestsPerBatch) {
    signal.throwIfAborted();
    const failures: DecidedRequest[] = [];
    for (const request of requests.slice(start, start + requestsPerBatch)) {
      const registered = byClient.get(request.client)!;
      const requestId = newId('request', request.atMs);
      const decided =
        request.mistake === undefined
          ? acceptedRequest(request, registered, requestId)
          : await refusedRequest(request, registered, requestId, parts);
      parts.requestStore.add(decided.record, decided.detail);
      if (decided.failure) failures.push(decided);
    }
    for (const { failure } of failures) {
      signal.throwIfAborted();
      await parts.explanations.explainPast(failure!);
    }
    await flush(parts.requestStore);
    if (!(await hasDemoData(database, accountId))) return forget(parts, accountId, clients);
    await sleep(pauseMs, undefined, { ref: false });
  }
}

const requestsPerBatch = 250;
const pauseMs = 40;

/** Flushes twice, because a write that was already in progress may not include the latest additions. */
async function flush(requestStore: DemoDataParts['requestStore']): Promise<void> {
  await requestStore.flush();
  await requestStore.flush();
}

/** Removes data that was written while the demo data was being removed. */
async function forget(
  { database, requestStore }: DemoDataParts,
  accountId: string,
  clients: readonly RegisteredDemoClient[],
): Promise<void> {
  await flush(requestStore);
  await forgetDemoRequests(
    database,
    accountId,
    clients.map(({ clientId }) => clientId),
  );
}

/** Adds the team, whose members cannot sign in. Returns their ids. */
async function addTeam(
  people: DemoDataParts['people'],
  database: Database,
  accountId: string,
  endMs: number,
): Promise<string[]> {
  const userIds: string[] = [];
  for (const [index, { name, email, role }] of demoMembers.entries()) {
    const joinedAtMs = endMs - (demoDays + 1) * 86_400_000 + index * 3_600_000;
    const added = await people?.addMember({ name, email, role, accountId, joinedAtMs });
    userIds.push(added ?? newId('person', joinedAtMs));
  }
  if (people) await markDemoPeople(database, accountId, userIds);
  return userIds;
}
