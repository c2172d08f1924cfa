import { randomBytes, randomInt } from 'node:crypto';
import { connect } from 'node:net';
import type { SignedRequest, Signer } from '@countersign/signature/node';
import { apiBaseUrl, baseUrl } from '@countersign/testing/running-service';
import type { SoakCaller, SoakCall } from './soak-caller.ts';

/** Everything that the kinds of traffic need. */
export interface MixParts {
  readonly caller: SoakCaller;
  /** Clients of the protected API. */
  readonly signers: readonly Signer[];
  /** A client that may change the registry. */
  readonly administrator: Signer;
  /** The clients that it changes. */
  readonly changed: readonly string[];
  /** A client that is not registered. */
  readonly stranger: Signer;
}

/** One kind of traffic. */
export interface Kind {
  readonly name: string;
  /** Its frequency, relative to the others. */
  readonly weight: number;
  /** Sends it once. Resolves with the outcome: a status, or `cut`. */
  readonly send: (parts: MixParts, count: number) => Promise<number | 'cut'>;
  /** The expected outcome. */
  readonly expected: number | 'cut';
}

/** Signing takes longer than the service's work, so each read is sent again while equal reads pass. */
const equalReads = 10;
const equalReadsMs = 1500;

/** All kinds of traffic: clients' requests, their failures, and strangers' attacks. */
export const kinds: readonly Kind[] = [
  { name: 'read', weight: 600, expected: 200, send: sendRead },
  {
    name: 'write',
    weight: 60,
    expected: 200,
    send: ({ caller, signers }, count) =>
      caller.send(api(signers, count, 'POST', '/orders', randomBytes(2048))),
  },
  {
    name: 'large body',
    weight: 2,
    expected: 200,
    send: ({ caller, signers }, count) =>
      caller.send(api(signers, count, 'POST', '/files', Buffer.alloc(2_000_000, count))),
  },
  {
    name: 'large answer',
    weight: 2,
    expected: 200,
    send: ({ caller, signers }, count) => caller.send(api(signers, count, 'GET', `/large?n=${count}`)),
  },
  {
    name: 'the API breaks off',
    weight: 5,
    expected: 502,
    send: ({ caller, signers }, count) => caller.send(api(signers, count, 'POST', `/cut?n=${count}`)),
  },
  {
    name: 'read of the registry',
    weight: 20,
    expected: 200,
    send: ({ caller, administrator }, count) =>
      caller.send(console(administrator, 'GET', `/v1/clients?limit=${1 + (count % 100)}&search=${count}`)),
  },
  { name: 'change of the registry', weight: 2, expected: 200, send: changeRegistry },
  {
    name: 'replay',
    weight: 20,
    expected: 401,
    async send({ caller, signers }, count) {
      const call = api(signers, count, 'POST', '/orders', randomBytes(64));
      const first = await caller.send(call);
      return first === 200 ? caller.send(call) : first;
    },
  },
  {
    name: 'changed body',
    weight: 20,
    expected: 401,
    send({ caller, signers }, count) {
      const call = api(signers, count, 'POST', '/orders', Buffer.from(`{"amount":1,"order":${count}}`));
      return caller.send({ ...call, body: Buffer.from('{"amount":9}') });
    },
  },
  {
    name: 'forged signature',
    weight: 60,
    expected: 401,
    send({ caller, signers }, count) {
      const call = api(signers, count, 'GET', `/orders/${count}`);
      const signature = `sig=:${randomBytes(256).toString('base64')}:`;
      return caller.send({ ...call, headers: { ...call.headers, Signature: signature } });
    },
  },
  {
    name: 'unknown client',
    weight: 20,
    expected: 401,
    send: ({ caller, stranger }, count) => caller.send(api([stranger], count, 'GET', `/orders/${count}`)),
  },
  {
    name: 'not signed',
    weight: 40,
    expected: 401,
    send: ({ caller }, count) =>
      caller.send({ to: 'api', method: 'GET', target: `/orders/${count}`, headers: host(apiBaseUrl) }),
  },
  {
    name: 'no such place',
    weight: 10,
    expected: 404,
    send: ({ caller, administrator }, count) =>
      caller.send(console(administrator, 'GET', `/v1/nothing/${count}`)),
  },
  {
    name: 'not HTTP',
    weight: 10,
    expected: 400,
    send: ({ caller }) => sendRaw(caller, 'no request\r\n\r\n'),
  },
  {
    name: 'half a head, then gone',
    weight: 10,
    expected: 'cut',
    send: ({ caller }) => sendRaw(caller, 'GET / HTTP/1.1\r\nHost: api', true),
  },
  {
    name: 'half a body, then gone',
    weight: 10,
    expected: 'cut',
    send({ caller, signers }, count) {
      const { method, target, headers } = api(signers, count, 'POST', '/orders', randomBytes(4096));
      const lines = Object.entries({ ...headers, 'Content-Length': '4096' });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      return sendRaw(caller, `${method} ${target} HTTP/1.1\r\n${head}\r\nhalf`, true);
    },
  },
];

/** Gives a client another name, which keeps the size of the registry. */
async function changeRegistry({ caller, administrator, changed }: MixParts, count: number): Promise<number> {
  const path = `/v1/clients/${changed[randomInt(changed.length)]}`;
  const body = Buffer.from(JSON.stringify({ name: `Renamed ${count}` }));
  for (let attempt = 1; ; attempt += 1) {
    const { etag = '' } = await caller.ask(console(administrator, 'GET', path));
    const call = console(administrator, 'PATCH', path, body);
    const status = await caller.send({ ...call, headers: { ...call.headers, 'If-Match': etag } });
    // Another change came in between.
    if (status !== 412 || attempt === 5) return status;
  }
}

interface EqualRead {
  readonly call: SoakCall;
  readonly atMs: number;
  left: number;
}
const reads = new WeakMap<SoakCaller, EqualRead>();

async function sendRead({ caller, signers }: MixParts, count: number): Promise<number | 'cut'> {
  let read = reads.get(caller);
  if (read === undefined || read.left === 0 || performance.now() - read.atMs > equalReadsMs) {
    read = {
      call: api(signers, count, 'GET', `/orders/${count}?expand=lines`),
      atMs: performance.now(),
      left: equalReads,
    };
    reads.set(caller, read);
  }
  read.left -= 1;
  const status = await caller.send(read.call);
  // On a busy machine it may have arrived when equal reads no longer pass, which is correct and not a fault
  // of the service.
  const isLate = performance.now() - read.atMs > equalReadsMs;
  return status === 401 && isLate ? caller.send(api(signers, count, 'GET', `/orders/${count}?late`)) : status;
}

function api(
  signers: readonly Signer[],
  count: number,
  method: string,
  target: string,
  body?: Buffer,
): SoakCall {
  const signed = signers[count % signers.length]!.sign({ method, url: apiBaseUrl + target, body });
  return callOf('api', apiBaseUrl, target, signed, body);
}

function console(signer: Signer, method: string, target: string, body?: Buffer): SoakCall {
  const signed = signer.sign({ method, url: baseUrl + target, body });
  const call = callOf('console', baseUrl, target, signed, body);
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': randomBytes(12).toString('hex') } };
}

function callOf(
  to: SoakCall['to'],
  base: string,
  target: string,
  { method, headers }: SignedRequest,
  body?: Buffer,
): SoakCall {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return { to, method, target, headers: { ...host(base), ...type, ...headers }, ...(body && { body }) };
}

function host(base: string): { Host: string } {
  return { Host: new URL(base).host };
}

/** Writes bytes to a separate connection, and resolves with the status that comes back. */
function sendRaw({ apiPort }: SoakCaller, text: string, leaves = false): Promise<number | 'cut'> {
  return new Promise((resolve, reject) => {
    const socket = connect(apiPort, '127.0.0.1', () => {
      socket.write(text, () => leaves && setTimeout(() => socket.resetAndDestroy(), 20));
    });
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer === '' ? 'cut' : Number(answer.slice(9, 12))));
  });
}
