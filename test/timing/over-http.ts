import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@countersign/signature/node';
import { baseUrl } from '../../packages/server/test/running-service.ts';
import { ServiceProcess } from '../../packages/server/test/service-process.ts';
import { type ClientKind, clientIdOf, fillRegistry } from './clients.ts';

/** A running service, and one connection of a stranger to it. */
export interface HttpScene {
  /** Sends a request that names a client, with random bytes as its signature, and resolves with the response. */
  send(kind: ClientKind, client: number): Promise<string>;
  /** Sends one, and resolves with the nanoseconds until its whole response was there. */
  time(kind: ClientKind, client: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * @param clients of each kind
 * @param bystanders whom nobody names
 */
export async function openHttpScene(clients: number, bystanders: number): Promise<HttpScene> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-timing-'));
  const used = await fillRegistry(folder, clients, bystanders);
  // A stranger with many addresses is held up by neither limit.
  const service = new ServiceProcess(folder, { COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0' });
  const { port } = new URL(await service.listening());
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  for (const { clientId, privateKey } of used) {
    const { headers } = createSigner({ keyid: clientId, privateKey }).sign({
      method: 'GET',
      url: baseUrl + target,
    });
    const response = await exchange(socket, requestOf(headers));
    if (!response.startsWith('HTTP/1.1 200')) throw new Error(response);
  }
  return {
    send: (kind, client) => exchange(socket, forged(kind, client)),
    async time(kind, client) {
      const request = forged(kind, client);
      const started = process.hrtime.bigint();
      const response = await exchange(socket, request);
      const took = Number(process.hrtime.bigint() - started);
      if (!response.includes('"code":"signature_invalid"')) throw new Error(response);
      return took;
    },
    async close() {
      socket.destroy();
      await service.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const target = '/v1/signature-test';

function forged(kind: ClientKind, client: number): Buffer {
  const now = new Date();
  const created = Math.floor(now.getTime() / 1000);
  const parameters = `created=${created};keyid="${clientIdOf(kind, client)}";alg="rsa-v1_5-sha256"`;
  return requestOf({
    date: now.toUTCString(),
    'signature-input': `sig=("@method" "@target-uri" "date");${parameters}`,
    signature: `sig=:${randomBytes(256).toString('base64')}:`,
  });
}

function requestOf(headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\n${lines.join('')}\r\n`);
}

/** Resolves with the response once it is complete. */
function exchange(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const read = (chunk: Buffer): void => {
      response += chunk.toString('latin1');
      const headEnd = response.indexOf('\r\n\r\n');
      const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(response) ?? [];
      if (headEnd < 0 || response.length < headEnd + 4 + Number(length)) return;
      socket.off('data', read).off('close', fail);
      resolve(response);
    };
    const fail = (): void => reject(new Error('The service closed the connection.'));
    socket.on('data', read).on('close', fail);
    socket.write(request);
  });
}
