import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hash, verify, createPublicKey } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createSigner, type Signer } from '@countersign/signature/node';
import { load } from './load.ts';
import { quantile } from './paired.ts';

/** Requests per second of the service, and what the same server without checks and the bare crypto would allow. */
export interface ServiceResult {
  readonly upstream: string;
  readonly checkedPerSecond: number;
  readonly uncheckedPerSecond: number;
  readonly cryptoMicroseconds: number;
  /** What the unchecked rate and the crypto time allow together: 1 / (1 / unchecked + crypto). */
  readonly allowedPerSecond: number;
  /** Median over the rounds of checked by allowed. */
  readonly share: number;
  readonly quartiles: readonly [number, number];
}

const connections = 16;
const url = 'https://api.example.com/v1/payments';

/** Loads both servers in turn, in short rounds, with requests that were signed before. */
export async function benchService(
  upstream: 'payments' | 'nothing',
  rounds: number,
  perRound: number,
): Promise<ServiceResult> {
  const status = upstream === 'payments' ? 201 : 204;
  const checked = await startServer('checked', upstream);
  const unchecked = await startServer('unchecked', upstream);
  try {
    const shares: number[] = [];
    const rates: { checked: number; unchecked: number; crypto: number; allowed: number }[] = [];
    for (let round = -1; round < rounds; round++) {
      // Signed before the clock starts, so that the load costs the sender next to nothing.
      const requests = Array.from({ length: perRound }, (_, index) =>
        signedRequest(checked.signer, round * perRound + index),
      );
      const cryptoBefore = bareCrypto(checked);
      const checkedRate = await load(checked.port, requests, connections, status);
      const uncheckedRate = await load(unchecked.port, requests, connections, status);
      const crypto = (cryptoBefore + bareCrypto(checked)) / 2;
      const allowed = 1 / (1 / uncheckedRate + crypto / 1e6);
      if (round < 0) continue; // the first round warms up
      rates.push({ checked: checkedRate, unchecked: uncheckedRate, crypto, allowed });
      shares.push(checkedRate / allowed);
    }
    return {
      upstream,
      checkedPerSecond: quantile(
        rates.map((one) => one.checked),
        0.5,
      ),
      uncheckedPerSecond: quantile(
        rates.map((one) => one.unchecked),
        0.5,
      ),
      cryptoMicroseconds: quantile(
        rates.map((one) => one.crypto),
        0.5,
      ),
      allowedPerSecond: quantile(
        rates.map((one) => one.allowed),
        0.5,
      ),
      share: quantile(shares, 0.5),
      quartiles: [quantile(shares, 0.25), quantile(shares, 0.75)],
    };
  } finally {
    await Promise.all([checked.stop(), unchecked.stop()]);
  }
}

interface BenchServer {
  readonly port: number;
  readonly signer: Signer;
  readonly privateKey: string;
  stop(): Promise<void>;
}

async function startServer(mode: string, upstream: string): Promise<BenchServer> {
  const script = fileURLToPath(new URL('server.ts', import.meta.url));
  const child = spawn(process.execPath, [script, mode, upstream], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { port, clientId, privateKey } = JSON.parse(await firstLine(child)) as Record<string, string>;
  return {
    port: Number(port),
    signer: createSigner({ keyid: clientId!, privateKey: privateKey! }),
    privateKey: privateKey!,
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

/** Microseconds of one RSA verification and one digest of a body, here and now. */
function bareCrypto({ signer, privateKey }: BenchServer): number {
  const { signatureBase, headers, body } = signer.sign({
    method: 'POST',
    url: `${url}?at=${process.hrtime.bigint()}`,
    body: 'x'.repeat(300),
  });
  const key = createPublicKey(privateKey);
  const base = Buffer.from(signatureBase);
  const signature = Buffer.from(headers.Signature.slice('sig=:'.length, -1), 'base64');
  const runs = 2000;
  const started = process.hrtime.bigint();
  for (let run = 0; run < runs; run++) {
    hash('sha256', body!, 'buffer');
    verify('sha256', base, key, signature);
  }
  return Number(process.hrtime.bigint() - started) / runs / 1000;
}
