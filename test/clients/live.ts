import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { shareSecondsWithWorkers } from '@countersign/client/node';
import { adapters } from '../../packages/client/test/adapters.ts';
import { startLiveService } from '../signers/live.ts';
import { echoOf, type LiveRequest, randomRequests } from '../signers/random-requests.ts';

/** The results of an adapter's random requests. */
export interface AdapterResult {
  readonly adapter: string;
  readonly threads: number;
  readonly accepted: number;
  readonly failures: readonly string[];
}

/** The input and output of a thread. */
export interface ThreadWork {
  readonly clientId: string;
  readonly privateKey: string;
  /** Each names its adapter as its client. */
  readonly requests: readonly LiveRequest[];
}

export interface ThreadAnswer {
  readonly id: number;
  /** Status and text, or the error. */
  readonly outcome: string;
}

export const adapterNames: readonly string[] = adapters.map(({ name }) => name);

const threadCount = 4;
const sender = fileURLToPath(new URL('sending-thread.ts', import.meta.url));

/**
 * Sends random requests to a running service through adapters of the client, from four threads at once,
 * including equal requests in the same second.
 *
 * @param count how many through each adapter
 */
export async function sendThroughAdapters(
  names: readonly string[],
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<readonly AdapterResult[]> {
  shareSecondsWithWorkers();
  // The entry for all runtimes has a memory of its own: one thread, and a service that knows no other signatures.
  const alone = adapters.flatMap(({ name, createSigner }) =>
    createSigner && names.includes(name) ? [name] : [],
  );
  const groups = [
    { members: names.filter((name) => !alone.includes(name)), threads: threadCount },
    ...alone.map((name) => ({ members: [name], threads: 1 })),
  ];
  const results: AdapterResult[] = [];
  for (const { members, threads } of groups)
    if (members.length > 0) results.push(...(await sendInThreads(members, threads, count, seed)));
  return results;
}

async function sendInThreads(
  names: readonly string[],
  threads: number,
  count: number,
  seed: number,
): Promise<AdapterResult[]> {
  const service = await startLiveService();
  try {
    const { baseUrl, clientId } = service;
    const privateKey = readFileSync(service.privateKeyFile, 'utf8');
    const requests = names
      // The generator takes odd seeds only.
      .flatMap((name, index) => randomRequests(name, { baseUrl, count, seed: seed + 2 * index }))
      .map((request, id) => ({ ...request, id }));
    const answers = await Promise.all(
      Array.from({ length: threads }, (_, thread) =>
        sendInThread({
          clientId,
          privateKey,
          requests: requests.filter(({ id }) => id % threads === thread),
        }),
      ),
    );
    const outcomes = new Map(answers.flat().map(({ id, outcome }) => [id, outcome]));
    return names.map((adapter) => {
      const sent = requests.filter(({ client }) => client === adapter);
      const failures = failuresOf(sent, outcomes);
      return { adapter, threads, accepted: sent.length - failures.length, failures };
    });
  } finally {
    await service.close();
  }
}

function sendInThread(work: ThreadWork): Promise<readonly ThreadAnswer[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(sender, { workerData: work });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`A sending thread ended with ${code}.`)));
  });
}

function failuresOf(requests: readonly LiveRequest[], outcomes: ReadonlyMap<number, string>): string[] {
  return requests.flatMap(({ id, method, url, body }) => {
    const echo = echoOf(method, Buffer.from(body ?? '', 'base64'));
    const expected = method === 'HEAD' ? '200 ' : `200 ${echo}`;
    const outcome = outcomes.get(id) ?? 'no answer';
    return outcome === expected ? [] : [`${method} ${url}: ${outcome}`];
  });
}
