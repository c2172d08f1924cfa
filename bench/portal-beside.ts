import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createSigner } from '@countersign/signature/node';
import { requestText } from '@countersign/testing/raw-connection';
import { loadAtRate } from './load.ts';
import { quantile } from './paired.ts';
import type { ClickingTask } from './portal-clicking.ts';
import type { LargeService } from './portal-service.ts';

/** How long a request takes, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** The answers that were not 200, by status. */
  readonly others: Readonly<Record<string, number>>;
}

/** How long requests take while nobody uses the portal, and while people click through its pages. */
export interface BesideResult {
  readonly browsers: number;
  /** The pages that they looked at meanwhile. */
  readonly views: number;
  readonly alone: Readonly<Record<Probe, Latency>>;
  readonly beside: Readonly<Record<Probe, Latency>>;
  /** Another service at the same time, which nobody uses: what the machine costs that is shared with the browsers. */
  readonly elsewhere: Latency;
}

type Probe = 'ready' | 'signed';

const perSecond = 50;
const browsers = 3;

/** Measures `/ready` and a signed request, alone and beside browsers. */
export async function measureBeside(
  service: LargeService,
  idlePort: number,
  pages: ClickingTask['pages'],
  seconds: number,
): Promise<BesideResult> {
  const probes = { ready: readyProbe(service.port), signed: signedProbe(service) };
  const all = async (): Promise<Record<Probe, Latency>> => {
    const [ready, signed] = await Promise.all([probes.ready(seconds), probes.signed(seconds)]);
    return { ready, signed };
  };
  const alone = await all();
  const task: ClickingTask = { origin: service.origin, browsers, pages };
  const clicking = fork(program, [JSON.stringify(task)], { execArgv: [] });
  try {
    await messageOf(clicking);
    const [beside, elsewhere] = await Promise.all([all(), readyProbe(idlePort)(seconds)]);
    clicking.send('enough');
    return { browsers, views: Number(await messageOf(clicking)), alone, beside, elsewhere };
  } finally {
    // It closes its browsers, and ends.
    if (clicking.connected) clicking.disconnect();
    if (clicking.exitCode === null && clicking.signalCode === null) await once(clicking, 'exit');
  }
}

const program = fileURLToPath(new URL('portal-clicking.ts', import.meta.url));

async function messageOf(clicking: ChildProcess): Promise<unknown> {
  const ended = once(clicking, 'exit').then(([code]) => {
    throw new Error(`The browsers ended with exit code ${String(code)}.`);
  });
  const [message] = (await Promise.race([once(clicking, 'message'), ended])) as [unknown];
  ended.catch(() => undefined);
  return message;
}

function readyProbe(port: number): (seconds: number) => Promise<Latency> {
  const text = Buffer.from(requestText('GET', '/ready', { Host: `localhost:${port}` }), 'latin1');
  return (seconds) =>
    probe(
      port,
      Array.from({ length: perSecond * seconds }, () => text),
    );
}

let signedCount = 0;

/** Signs beforehand, so that the load costs the sender next to nothing. */
function signedProbe({ port, clients, keyPair }: LargeService): (seconds: number) => Promise<Latency> {
  const signer = createSigner({ keyid: clients[0]!.clientId, privateKey: keyPair.privateKey });
  const origin = `http://localhost:${port}`;
  return (seconds) => {
    const requests = Array.from({ length: perSecond * seconds }, () => {
      const target = `/v1/signature-test?count=${(signedCount += 1)}`;
      const { headers } = signer.sign({ method: 'GET', url: origin + target });
      return Buffer.from(requestText('GET', target, { Host: new URL(origin).host, ...headers }), 'latin1');
    });
    return probe(port, requests);
  };
}

async function probe(port: number, requests: readonly Buffer[]): Promise<Latency> {
  const others: Record<string, number> = {};
  const milliseconds = await loadAtRate(port, requests, perSecond, 200, (status) => {
    others[status] = (others[status] ?? 0) + 1;
  });
  return {
    p50: quantile(milliseconds, 0.5),
    p99: quantile(milliseconds, 0.99),
    longest: Math.max(...milliseconds),
    others,
  };
}
