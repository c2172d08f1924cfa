import { randomBytes } from 'node:crypto';
import type { Case, Client } from '../case.ts';
import { type Cell, judgeEcho } from '../cell.ts';
import type { TableRequest } from '../program.ts';

const plain: readonly Case[] = [
  bodyCase('none', () => undefined),
  bodyCase('empty', () => new Uint8Array()),
  bodyCase('one byte', () => Buffer.from('1')),
  bodyCase('64 KiB', () => randomBytes(65_536)),
  bodyCase('binary with CRLF and NUL', () => Buffer.from('\r\n\0\r\n\r\n\0\xff\xfe\n\0', 'latin1')),
  bodyCase('UTF-8 with a byte order mark', () => Buffer.from('\uFEFF{"name":"Zoë"}')),
  bodyCase('a stream of unknown length', () => randomBytes(10_000), { isStream: true }),
];

/** A body that no server expects: misread, it is the next request on the connection. */
const unusual: readonly Case[] = ['DELETE', 'OPTIONS', 'GET'].map((method) => ({
  name: `body of ${method}, then a GET`,
  program: 'one',
  async run(client) {
    const body = Buffer.from('GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const codes = ['request_invalid', 'request_malformed'];
    const cell = await sendBody(client, { method, body }, codes);
    if (cell.kind === 'wrong') return cell;
    const after = await sendBody(client, { method: 'GET' });
    return after.kind === 'right' ? cell : after;
  },
}));

export const bodies: readonly Case[] = [...plain, ...unusual];

function bodyCase(name: string, body: () => Uint8Array | undefined, more: Partial<TableRequest> = {}): Case {
  return {
    name: `body: ${name}`,
    program: 'one',
    run: (client) => sendBody(client, { method: 'POST', body: body(), ...more }),
  };
}

async function sendBody(
  { scene, sendAndSee }: Client,
  request: Omit<TableRequest, 'client' | 'url'>,
  codes: readonly string[] = [],
): Promise<Cell> {
  const target = `/bodies/${crypto.randomUUID()}`;
  const { method, body } = request;
  const headers = body && [['Content-Type', 'application/octet-stream'] as const];
  const { answer, arrivals } = await sendAndSee({ headers, ...request, url: scene.baseUrl + target });
  return judgeEcho(answer, arrivals, { method, targets: [target], body, codes });
}
