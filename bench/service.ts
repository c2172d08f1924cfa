import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createSigner, type Signer } from '@countersign/signature/node';
import { load } from './load.ts';
import { quantile } from './paired.ts';

/** Requests per second: of the service, of the same server with the bare crypto in place of the checks, without both. */
export interface ServiceResult {
  readonly upstream: string;
  readonly checkedPerSecond: number;
  readonly cryptoPerSecond: number;
  readonly uncheckedPerSecond: number;
  /** Median over the rounds of checked by crypto. */
  readonly share: number;
  readonly quartiles: readonly [number, number];
}

const connections = 16;
const url = 'https://api.example.com/v1/payments';
const modes = ['checked', 'crypto', 'unchecked'] as const;
const warmUpRounds = 3;

/** Loads the three servers in turn, in short rounds, with requests that were signed before. */
export async function benchService(
  upstream: 'payments' | 'nothing',
  rounds: number,
  perRound: number,
): Promise<ServiceResult> {
  const status = upstream === 'payments' ? 201 : 204;
  const servers = await Promise.all(modes.map((mode) => startServer(mode, upstream)));
  const [checked] = servers as [BenchServer];
  const rates: number[][] = [];
  try {
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      // Signed before the clock starts, so that the load costs the sender next to nothing.
      const requests = Array.from({ length: perRound }, (_, index) =>
        signedRequest(checked.signer, round * perRound + index),
      );
      // Each server comes first, second and third equally often.
      const order = [0, 1, 2].map((place) => (place + round) % 3);
      const rate: number[] = [];
      for (const index of order)
        rate[index] = await load(servers[index]!.port, requests, connections, status);
      if (round >= warmUpRounds) rates.push(rate);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  const column = (index: number): number[] => rates.map((rate) => rate[index]!);
  const shares = rates.map(([checkedRate, cryptoRate]) => checkedRate! / cryptoRate!);
  return {
    upstream,
    checkedPerSecond: quantile(column(0), 0.5),
    cryptoPerSecond: quantile(column(1), 0.5),
    uncheckedPerSecond: quantile(column(2), 0.5),
    share: quantile(shares, 0.5),
    quartiles: [quantile(shares, 0.25), quantile(shares, 0.75)],
  };
}

interface BenchServer {
  readonly port: number;
  readonly signer: Signer;
  stop(): Promise<void>;
}

async function startServer(mode: string, upstream: string): Promise<BenchServer> {
  const script = fileURLToPath(new URL('server.ts', import.meta.url));
  const child = spawn(process.execPath, [script, mode, upstream], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { port, clientId, privateKey } = JSON.parse(await firstLine(child)) as Record<string, string>;
  return {
    port: Number(port),
    signer: createSigner({ keyid: clientId!, privateKey: privateKey! }),
    async stop() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function firstLine(child: ChildProcessByStdio<Writable, Readable, null>): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('\n')) return text;
  }
  throw new Error('The bench server did not start.');
}

function signedRequest(signer: Signer, number: number): Buffer {
  const payment = {
    amount: 1000 + Math.abs(number),
    currency: 'EUR',
    reference: `bench-${number}`,
    description: '',
  };
  const description = 'x'.repeat(300 - JSON.stringify(payment).length);
  const body = JSON.stringify({ ...payment, description });
  const { headers } = signer.sign({ method: 'POST', url, body });
  const lines = [
    'POST /v1/payments HTTP/1.1',
    'Host: api.example.com',
    'User-Agent: bench/1',
    'Accept: */*',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
