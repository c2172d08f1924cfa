import { generateKeyPairSync, hash, sign as signBytes } from 'node:crypto';
import { createRequestSigner, signingFetch } from '@countersign/client/node';
import { startChild } from './child.ts';
import { comparePair, type PairResult } from './paired.ts';

export interface ClientResult {
  /** The time of the signing fetch relative to the bare crypto and the bare fetch together. */
  readonly pair: PairResult;
  readonly inFlight: number;
  readonly holds: readonly Hold[];
}

/** How long a kind of work blocks the event loop. */
export interface Hold {
  readonly name: string;
  readonly perSecond: number;
  /** The longest time between two turns of the event loop. */
  readonly longestMs: number;
  /**
   * The most processor time that the thread used between two turns: excludes the time of other programs on
   * the machine.
   */
  readonly longestCpuMs: number;
  /** The number of requests that ended in that turn. */
  readonly endedInLongest: number;
}

const inFlight = 64;

/** Compares the signing fetch with its unavoidable parts, and measures how long it blocks the event loop. */
export async function benchClient(rounds: number, seconds: number): Promise<ClientResult> {
  const server = await startChild('client-server.ts', []);
  try {
    const url = `http://127.0.0.1:${server.port}/v1/payments`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const payment = {
      amount: 4200,
      currency: 'EUR',
      reference: 'invoice-2026-000123',
      description: 'x'.repeat(200),
    };
    const body = JSON.stringify(payment);
    const signer = createRequestSigner({ clientId: 'client_01k9xq2v6h4mz7c1r8t0w5n3bd', privateKey });
    const signing = signingFetch(signer);
    const headers = { 'Content-Type': 'application/json' };
    let count = 0;
    const signed = async (): Promise<void> => {
      const response = await signing(`${url}?n=${count++}`, { method: 'POST', headers, body });
      await response.arrayBuffer();
    };
    // As many bytes of headers as a signature has.
    const dated = {
      ...headers,
      Date: new Date().toUTCString(),
      Signature: 'x'.repeat(360),
      'Signature-Input': 'x'.repeat(150),
    };
    const base = Buffer.alloc(400, 'x');
    const fetchBare = async (digest: string): Promise<void> => {
      const response = await fetch(`${url}?n=${count++}`, {
        method: 'POST',
        headers: { ...dated, 'Content-Digest': digest },
        body,
      });
      await response.arrayBuffer();
    };
    const bare = async (): Promise<void> => {
      const digest = hash('sha256', body, 'base64');
      await new Promise((resolve, reject) => {
        signBytes('sha256', base, privateKey, (error, signature) =>
          error ? reject(error) : resolve(signature),
        );
      });
      await fetchBare(digest);
    };
    const pair = await comparePair(
      { name: 'signing fetch, by bare crypto and bare fetch', subject: signed, reference: bare },
      rounds,
      40,
    );
    const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
      'signing fetch': signed,
      'bare crypto and bare fetch': bare,
      'bare fetch alone': () => fetchBare(hash('sha256', body, 'base64')),
      'signing alone': () => signer.sign({ method: 'POST', url: `${url}?n=${count++}`, body }),
    };
    const holds: Hold[] = [];
    for (const [name, send] of Object.entries(kinds))
      holds.push({ name, ...(await holdUnder(send, seconds)) });
    return { pair, inFlight, holds };
  } finally {
    await server.stop();
  }
}

/** Keeps requests in flight, and watches every turn of the event loop. */
async function holdUnder(send: () => Promise<unknown>, seconds: number): Promise<Omit<Hold, 'name'>> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  let [longestMs, longestCpuMs, endedInLongest] = [0, 0, 0];
  let [lastMs, lastCpuMs, lastCount] = [performance.now(), threadCpuMs(), 0];
  let isOver = false;
  const turn = (): void => {
    const [nowMs, cpuMs] = [performance.now(), threadCpuMs()];
    longestMs = Math.max(longestMs, nowMs - lastMs);
    if (cpuMs - lastCpuMs > longestCpuMs)
      [longestCpuMs, endedInLongest] = [cpuMs - lastCpuMs, count - lastCount];
    [lastMs, lastCpuMs, lastCount] = [nowMs, cpuMs, count];
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      await send();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  isOver = true;
  return { perSecond: count / seconds, longestMs, longestCpuMs, endedInLongest };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
