import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createRequestSigner, RefusedError } from '@countersign/client/node';
import { Agent } from 'undici';
import { adapters, type Send } from '../../packages/client/test/adapters.ts';
import type { LiveRequest } from '../signers/random-requests.ts';
import type { ThreadAnswer, ThreadWork } from './live.ts';

/** A thread of `live.ts`: sends its requests, sixteen at once. */

const inFlight = 16;

const { clientId, privateKey, requests } = workerData as ThreadWork;
const key = { clientId, privateKey };
const signer = createRequestSigner(key);
const connections = {
  dispatcher: new Agent(),
  httpAgent: new HttpAgent({ keepAlive: true }),
  httpsAgent: new HttpsAgent(),
};
const sends = new Map(
  adapters.map((one) => [one.name, one.open(one.createSigner?.(key) ?? signer, connections)]),
);

const waiting = requests.values();
const answers: ThreadAnswer[] = [];
const work = async (): Promise<void> => {
  for (const request of waiting)
    answers.push({ id: request.id, outcome: await outcomeOf(sends.get(request.client)!, request) });
};
await Promise.all(Array.from({ length: inFlight }, work));
await connections.dispatcher.close();
connections.httpAgent.destroy();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage(answers);

async function outcomeOf(sendOne: Send, { method, url, headers, body }: LiveRequest): Promise<string> {
  const bytes = body === null ? undefined : new Uint8Array(Buffer.from(body, 'base64'));
  const request = { method, url, headers: Object.fromEntries(headers), body: bytes };
  for (let attempt = 1; ; attempt++) {
    const { status, outcome } = await tried(sendOne, request);
    // On a busy machine the service may ask to retry a request, as it may with every client.
    if (status !== 503 || attempt === attemptsMax) return outcome;
    await sleep(1000);
  }
}

const attemptsMax = 10;

async function tried(
  sendOne: Send,
  request: Parameters<Send>[0],
): Promise<{ readonly status: number; readonly outcome: string }> {
  try {
    const { status, text } = await sendOne(request);
    return { status, outcome: `${status} ${text}` };
  } catch (error) {
    return { status: error instanceof RefusedError ? error.status : 0, outcome: String(error) };
  }
}
