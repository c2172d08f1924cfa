import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@countersign/signature/node';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import { baseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import type { AlgorithmName } from '@countersign/signature';
import { algorithms } from '@countersign/signature/rfc9421';
import { type ClientKind, clientIdOf, fillRegistry, type Population } from './clients.ts';

/** A running service, and one connection of a stranger to it. */
export interface HttpScene {
  /** Sends a request that names a client, with random bytes as its signature, and resolves with the response. */
  send(kind: ClientKind, client: number): Promise<string>;
  /** Sends one, and resolves with the nanoseconds until its complete response. */
  time(kind: ClientKind, client: number): Promise<number>;
  close(): Promise<void>;
}

export async function openHttpScene(population: Population): Promise<HttpScene> {
  const { algorithm } = population;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-timing-'));
  const used = await fillRegistry(folder, population);
  // Neither limit delays a stranger with many addresses.
  const service = new ServiceProcess(folder, { COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0' });
  const { port } = new URL(await service.listening());
  const connection = await openConnection(Number(port));
  const exchange = async (request: string): Promise<string> => {
    connection.write(request);
    return (await connection.answer()).whole;
  };
  for (const { clientId, privateKey } of used) {
    const { headers } = createSigner({ keyid: clientId, privateKey }).sign({
      method: 'GET',
      url: baseUrl + target,
    });
    const response = await exchange(requestOf(headers));
    if (!response.startsWith('HTTP/1.1 200')) throw new Error(response);
  }
  return {
    send: (kind, client) => exchange(forged(algorithm, kind, client)),
    async time(kind, client) {
      const request = forged(algorithm, kind, client);
      const started = process.hrtime.bigint();
      const response = await exchange(request);
      const took = Number(process.hrtime.bigint() - started);
      if (!response.includes('"code":"signature_invalid"')) throw new Error(response);
      return took;
    },
    async close() {
      connection.cut();
      await service.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const target = '/v1/signature-test';

function forged(algorithm: AlgorithmName, kind: ClientKind, client: number): string {
  const now = new Date();
  const created = Math.floor(now.getTime() / 1000);
  const parameters = `created=${created};keyid="${clientIdOf(kind, client)}";alg="${algorithm}"`;
  return requestOf({
    date: now.toUTCString(),
    'signature-input': `sig=("@method" "@target-uri" "date");${parameters}`,
    signature: `sig=:${randomBytes(algorithms[algorithm].signatureBytes.min).toString('base64')}:`,
  });
}

function requestOf(headers: Readonly<Record<string, string>>): string {
  return requestText('GET', target, { Host: new URL(baseUrl).host, ...headers });
}
