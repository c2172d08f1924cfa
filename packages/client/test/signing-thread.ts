import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createRequestSigner } from '../src/node.ts';

/** A program of several threads or processes: signs equal requests at once. */
export async function signEqual(input: {
  readonly clientId: string;
  readonly privateKey: string;
  readonly nowMs: number;
  readonly count: number;
  readonly method?: 'GET' | undefined;
  readonly sharedFolder?: string | undefined;
}): Promise<number[]> {
  const { clientId, privateKey, nowMs, count, method = 'POST', sharedFolder } = input;
  const signer = createRequestSigner({ clientId, privateKey, now: () => nowMs, sharedFolder });
  const request = { method, url: 'https://a.test/', body: method === 'POST' ? 'equal' : null };
  const signed = await Promise.all(Array.from({ length: count }, () => signer.sign(request)));
  return signed.map(({ created }) => created);
}

if (!isMainThread && parentPort && workerData) {
  const warnings: unknown[] = [];
  process.on('warning', ({ code }: Error & { code?: string }) => warnings.push(code));
  const seconds = await signEqual(workerData as Parameters<typeof signEqual>[0]);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage({ seconds, warnings });
}
