import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId, NetworkWhitelist } from '@countersign/contract';
import type { RegisteredClient } from '../packages/gate/src/registry.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import { RequestStore } from '../packages/server/src/request-log/writing/request-store.ts';
import { RequestWriter } from '../packages/server/src/request-log/writing/request-writer.ts';

/** How long the responding thread is blocked while the request log is written and trimmed. */
export interface RequestLogResult {
  readonly keptMax: number;
  readonly perSecond: number;
  readonly longestMs: number;
  /**
   * The most processor time that the thread used between two turns: excludes the time of other programs on
   * the machine.
   */
  readonly longestCpuMs: number;
  readonly p99Ms: number;
  /** The same thread when idle. */
  readonly idleLongestMs: number;
  readonly removed: number;
}

const perSecond = 1000;
const clientCount = 50;

/** Fills a request log beyond its limit, and adds requests while it is trimmed. */
export async function benchRequestLog(keptMax: number, seconds: number): Promise<RequestLogResult> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const file = join(folder, 'countersign.sqlite');
  const database = await openDatabase({ file });
  fill(file, keptMax + keptMax / 20);
  const errors: unknown[] = [];
  const store = new RequestStore({
    writes: new RequestWriter({ file }),
    registry: { clientById },
    keptDays: 30,
    keptMax,
    nowMs: Date.now,
    onError: (error) => errors.push(error),
  });
  try {
    const idle = await longestStall(() => undefined, 3);
    const busy = await longestStall(() => addRequests(store), seconds);
    await store.close();
    if (errors.length > 0) throw errors[0];
    const added = seconds * perSecond;
    const { rows } = await database
      .selectFrom('request_records')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    return {
      keptMax,
      perSecond,
      longestMs: busy.max,
      longestCpuMs: busy.maxCpu,
      p99Ms: busy.p99,
      idleLongestMs: idle.max,
      removed: keptMax + keptMax / 20 + added - rows,
    };
  } finally {
    await database.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Stalls {
  readonly max: number;
  readonly maxCpu: number;
  readonly p99: number;
}

async function longestStall(work: () => void, seconds: number): Promise<Stalls> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const timer = setInterval(work, stepMs);
  let lastCpuMs = threadCpuMs();
  let maxCpu = 0;
  const watch = setInterval(() => {
    const cpuMs = threadCpuMs();
    maxCpu = Math.max(maxCpu, cpuMs - lastCpuMs);
    lastCpuMs = cpuMs;
  }, 1);
  await sleep(seconds * 1000);
  clearInterval(timer);
  clearInterval(watch);
  delay.disable();
  return { max: delay.max / 1e6, maxCpu, p99: delay.percentile(99) / 1e6 };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const stepMs = 10;

function addRequests(store: RequestStore): void {
  for (let count = 0; count < (perSecond * stepMs) / 1000; count += 1) {
    const clientId = `client_${Math.floor(Math.random() * clientCount)}`;
    store.add(
      {
        requestId: newId('request'),
        outcome: 'accepted',
        status: 200,
        method: 'GET',
        path: '/v1/whoami',
        sourceAddress: '192.0.2.1',
      },
      {
        receivedAtMs: Date.now(),
        namedClientId: clientId,
        isProved: true,
        isAccepted: true,
        keyId: `${clientId}_key`,
        shownQuery: '',
        source: undefined,
      },
    );
  }
}

function clientById(clientId: string): RegisteredClient {
  return {
    clientId,
    accountId: `account_${clientId}`,
    network: NetworkWhitelist.fromTexts(['0.0.0.0']),
  } as unknown as RegisteredClient;
}

/** Writes requests of the last 20 days, a quarter of them unauthenticated. */
function fill(file: string, count: number): void {
  const database = new DatabaseSync(file);
  database.exec('pragma synchronous = off');
  const insert = database.prepare(`
    insert into request_records (request_id, received_at_ms, account_id, client_id, is_proved, outcome, is_observed, reason,
      method, url, status, source_address, key_fingerprint, clock_difference_seconds, duration_us)
    values (?, ?, ?, ?, ?, ?, 0, null, 'GET', '/v1/payments/payment_0123456789?limit', 200, '192.0.2.1',
      'SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 0, 1500)`);
  const startMs = Date.now() - 20 * 86_400_000;
  database.exec('begin');
  for (let index = 0; index < count; index += 1) {
    const atMs = Math.floor(startMs + (index * 19 * 86_400_000) / count);
    const clientId = `client_${index % clientCount}`;
    const isProved = index % 4 !== 0;
    insert.run(
      newId('request', atMs),
      atMs,
      `account_${clientId}`,
      clientId,
      isProved ? 1 : 0,
      isProved ? 'accepted' : 'signature_invalid',
    );
  }
  database.exec('commit');
  database.close();
}
