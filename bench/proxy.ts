import { constants, createPrivateKey, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSigner } from '@countersign/signature';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { startChild } from './child.ts';
import { quantile, quartilesOf } from './paired.ts';

export interface ProxyResult {
  readonly inProcessPerSecond: number;
  readonly proxyPerSecond: number;
  /** Median of the rounds' ratios. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
}

const inFlight = 32;
const body = Buffer.from(JSON.stringify({ amount: 1250, currency: 'EUR', reference: 'INV-7' }));

/**
 * Sends requests with a body to an API that checks nothing, in turn signed in this process (in its thread
 * pool, over kept connections) and through `countersign proxy`. This makes the proxy's share of the work as
 * large as possible.
 */
export async function benchProxy(rounds: number, requests: number): Promise<ProxyResult> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const keyFile = join(folder, 'private.pem');
  const { privateKey } = makeKeyPair();
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  const api = await startChild('gateway-server.ts', ['api']);
  const origin = `http://127.0.0.1:${api.port}`;
  const proxy = await startChild('proxy-server.ts', [origin, keyFile]);
  try {
    const sides = { inProcess: await inProcess(origin, privateKey), byProxy: throughProxy(proxy.port) };
    for (const side of Object.values(sides)) await run(side, requests);
    const rates = { inProcess: [] as number[], byProxy: [] as number[] };
    const names = ['inProcess', 'byProxy'] as const;
    for (let round = 0; round < rounds; round += 1)
      for (const name of round % 2 === 0 ? names : names.toReversed())
        rates[name].push(await run(sides[name], requests));
    const ratios = rates.byProxy.map((rate, round) => rate / rates.inProcess[round]!);
    return {
      inProcessPerSecond: quantile(rates.inProcess, 0.5),
      proxyPerSecond: quantile(rates.byProxy, 0.5),
      ratio: quantile(ratios, 0.5),
      quartiles: quartilesOf(ratios),
    };
  } finally {
    await Promise.all([api.stop(), proxy.stop()]);
    rmSync(folder, { recursive: true });
  }
}

type Send = (number: number) => Promise<void>;

/** Requests a second. */
async function run(send: Send, requests: number): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < requests) await send((next += 1));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (requests / (performance.now() - startedMs)) * 1000;
}

async function inProcess(origin: string, pem: string): Promise<Send> {
  const key = createPrivateKey(pem);
  const signBytes = promisify(sign);
  const signer = await createSigner({
    keyid: 'bench',
    privateKey: (base) => signBytes('sha256', base, { key, padding: constants.RSA_PKCS1_PADDING }),
  });
  const agent = new Agent({ keepAlive: true });
  const start = unique();
  return async (number) => {
    const url = `${origin}/v1/payments?n=${start()}-${number}`;
    const { headers } = await signer.sign({ method: 'POST', url, body });
    await call(url, { ...headers }, agent);
  };
}

function throughProxy(port: number): Send {
  const agent = new Agent({ keepAlive: true });
  const start = unique();
  return (number) => call(`http://127.0.0.1:${port}/v1/payments?n=${start()}-${number}`, {}, agent);
}

/** Equal requests would wait for separate seconds: there are none here. */
function unique(): () => number {
  let count = 0;
  return () => (count += 1);
}

function call(url: string, headers: Readonly<Record<string, string>>, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`The answer is ${answer.statusCode}.`));
      answer.on('end', resolve).on('error', reject).resume();
    });
    outgoing.end(body);
  });
}
