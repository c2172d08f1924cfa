import { request } from 'node:http';
import { createSigner } from '@countersign/signature/node';
import { baseUrl } from '@countersign/testing/running-service';
import { type HostileCall, hostileCalls } from './hostile-calls.ts';
import type { HostileTask } from './neighbors.ts';

/* A customer whose program causes as much work as the API allows, always with several requests at once. */

const { port, clientId, privateKey, atOnce } = JSON.parse(process.argv[2]!) as HostileTask;
const signer = createSigner({ keyid: clientId, privateKey });
const answered: Record<string, number> = {};
const state = { isActive: false };
let sent = 0;

process.on('message', (message) => {
  const wasActive = state.isActive;
  state.isActive = message === 'begin';
  if (state.isActive && !wasActive) for (let lane = 0; lane < atOnce; lane += 1) void ask();
  process.send?.(answered);
});

async function ask(): Promise<void> {
  while (state.isActive && process.connected) {
    const call = hostileCalls[sent++ % hostileCalls.length]!;
    const status = await send(call, sent);
    answered[status] = (answered[status] ?? 0) + 1;
  }
}

/** Equal requests must not carry equal signatures, so each has its own second. */
function send({ method, target, body }: HostileCall, number: number): Promise<string> {
  const nowMs = (): number => Date.now() - 1000 * (number % 250);
  const own = createSigner({ keyid: signer.keyid, privateKey, nowMs });
  const signed = own.sign({ method, url: baseUrl + target, ...(body !== undefined && { body }) });
  const headers = {
    Host: new URL(baseUrl).host,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    }),
    ...signed.headers,
  };
  return new Promise((resolve) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: target, setHost: false, headers });
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('close', () => resolve(String(incoming.statusCode)));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end(body);
  });
}
