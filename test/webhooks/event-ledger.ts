import { newId } from '@countersign/contract';
import { queueEvent } from '../../packages/server/src/registry/store/queue-event.ts';
import type { Database } from '../../packages/server/src/storage/transaction.ts';
import { type Kind, kindNames, kinds, type Received } from './receivers.ts';
import type { Stage, StagedWebhook } from './stage.ts';

const orderedClients = 40;

/** What was queued and what was received, and what is wrong with that. */
export class EventLedger {
  readonly violations: string[] = [];
  readonly received = new Map<string, number>();
  /** The kind of each queued event, by its ID. */
  readonly queued = new Map<string, Kind>();
  /** The clients that the API has acknowledged. */
  readonly acknowledged = new Set<string>();
  /** The events of each client that was added by the API. */
  readonly #eventsOfClient = new Map<string, string>();
  readonly #lastOf = new Map<string, number>();
  #repeated = 0;
  #position = 1_000_000;

  get counts(): { readonly received: number; readonly repeated: number } {
    return { received: this.received.size, repeated: this.#repeated };
  }

  note(violation: string): void {
    if (this.violations.length < 20) this.violations.push(violation);
  }

  /** Notes a request of a receiver. */
  receive({ kind, eventId, data }: Received): void {
    const count = this.received.get(eventId) ?? 0;
    this.received.set(eventId, count + 1);
    if (count > 0) this.#repeated += 1;
    if (kind === 'api') this.#receiveChange(eventId, data);
    else if (this.queued.get(eventId) !== kind) this.note(`${kind} received ${eventId}, which is not for it`);
    if (kind === 'ordered') this.#checkOrder(data);
  }

  /** One change has one ID, however often it is sent. */
  #receiveChange(eventId: string, data: Received['data']): void {
    const clientId = clientOf(data);
    const known = this.#eventsOfClient.get(clientId);
    if (known !== undefined && known !== eventId)
      this.note(`${clientId} has the events ${known} and ${eventId}`);
    this.#eventsOfClient.set(clientId, eventId);
  }

  #checkOrder(data: Received['data']): void {
    const { client, number } = data as { client: string; number: number };
    const last = this.#lastOf.get(client) ?? 0;
    if (number < last) this.note(`${client}: event ${number} came after ${last}`);
    this.#lastOf.set(client, number);
  }

  /** Queues events as a change does, in one transaction. */
  async queue(stage: Stage, count: number): Promise<void> {
    const events = Array.from({ length: count }, () => {
      const kind = this.queued.size < kindNames.length - 1 ? kindNames[this.queued.size]! : anyKind();
      const eventId = newId('audit');
      this.queued.set(eventId, kind);
      return { eventId, kind };
    });
    await stage.database.transaction().execute(async (transaction) => {
      for (const { eventId, kind } of events) {
        const number = ++this.#position;
        const client = `client_${number % orderedClients}`;
        await queueEvent(transaction, {
          eventId,
          type: 'client.added',
          accountId: stage.webhooks.get(kind)!.accountId,
          clientId: client,
          happenedAtMs: Date.now(),
          version: number,
          data: { client, number },
        });
      }
    });
  }

  /** Compares everything with the log of deliveries, when nothing is due any more. */
  async compare(stage: Stage): Promise<LogFigures> {
    const log = await readLog(stage.database);
    const byWebhook = new Map([...stage.webhooks].map(([kind, { webhookId }]) => [webhookId, kind]));
    const figures = { delivered: 0, failed: 0, held: 0 };
    const seen = new Set<string>();
    for (const { eventId, webhookId, state, attempts, isDisabled } of log) {
      const kind = byWebhook.get(webhookId)!;
      seen.add(eventId);
      if (state === 'delivered') figures.delivered += 1;
      else if (state === 'failed') figures.failed += 1;
      else figures.held += 1;
      if (state === 'delivered' && !this.received.has(eventId))
        this.note(`${kind}: ${eventId} is in the log as delivered, and was never received`);
      // A disabled webhook has failed deliveries without an attempt, and keeps what waited.
      if (state === 'failed' && attempts === 0 && !isDisabled)
        this.note(`${kind}: ${eventId} was given up untried`);
      if (state === 'waiting' && !isDisabled) this.note(`${kind}: ${eventId} still waits`);
    }
    for (const [eventId, kind] of this.queued)
      if (!seen.has(eventId)) this.note(`${kind}: ${eventId} is not in the log`);
    for (const eventId of this.received.keys()) if (!seen.has(eventId)) this.note(`${eventId} was invented`);
    const logged = await readClients(stage.database, stage.webhooks.get('api')!.accountId);
    for (const clientId of this.acknowledged) {
      const ids = logged.get(clientId) ?? [];
      if (ids.length !== 1)
        this.note(`${clientId}, which the API acknowledged, has ${ids.length} events in the log`);
    }
    return figures;
  }
}

/** How many deliveries ended in which way. */
export interface LogFigures {
  readonly delivered: number;
  readonly failed: number;
  /** They wait at a disabled webhook. */
  readonly held: number;
}

const shares = kindNames.map((kind) => [kind, kinds[kind].share] as const);

function anyKind(): Kind {
  let left = Math.random();
  for (const [kind, share] of shares) {
    left -= share;
    if (left < 0) return kind;
  }
  return 'good';
}

/** The number of deliveries that wait at webhooks that are not disabled. */
export async function countWaiting(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.webhook_id', 'webhook_deliveries.webhook_id')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('state', '=', 'waiting')
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The client that a change was about. */
function clientOf(data: Received['data']): string {
  const targets = data['targets'] as readonly { readonly type: string; readonly id: string }[];
  return targets.find(({ type }) => type === 'client')?.id ?? '';
}

/** The IDs of the events of each client in an account. */
async function readClients(
  database: Database,
  accountId: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database
    .selectFrom('webhook_events')
    .select(['event_id', 'data'])
    .where('account_id', '=', accountId)
    .execute();
  const events = new Map<string, string[]>();
  for (const row of rows)
    events
      .getOrInsertComputed(clientOf(JSON.parse(row.data) as Received['data']), (): string[] => [])
      .push(row.event_id);
  return events;
}

interface LogRow extends Pick<StagedWebhook, 'webhookId'> {
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  readonly isDisabled: boolean;
}

async function readLog(database: Database): Promise<readonly LogRow[]> {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.webhook_id', 'webhook_deliveries.webhook_id')
    .select(['event_id', 'webhook_deliveries.webhook_id', 'state', 'attempt_count', 'status'])
    .execute();
  return rows.map((row) => ({
    eventId: row.event_id,
    webhookId: row.webhook_id,
    state: row.state,
    attempts: row.attempt_count,
    isDisabled: row.status === 'disabled',
  }));
}
