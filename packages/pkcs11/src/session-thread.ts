/**
 * A thread with one session: a call of the module blocks until the token responds, which would stop
 * everything else.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { KeyStoreError } from '@countersign/key-store';
import { loadCryptoki } from './cryptoki.ts';
import { causeOf } from './return-values.ts';
import { Session } from './session.ts';
import type { SessionAnswer, SessionOrder, SessionStart } from './session-messages.ts';

const { module, ...choice } = workerData as SessionStart;
let session: Session | undefined;

async function carryOut(order: Exclude<SessionOrder, { kind: 'close' }>): Promise<Uint8Array | string> {
  session ??= new Session(await loadCryptoki(module), choice);
  switch (order.kind) {
    case 'open':
      session.login(order.pin);
      return '';
    case 'sign':
      return session.sign(order.keyId, order.bytes);
    case 'publicKey':
      return session.publicKey(order.keyId);
    case 'createKey':
      return session.createKey(order.likeKeyId);
  }
}

async function answer(order: Parameters<typeof carryOut>[0]): Promise<SessionAnswer> {
  try {
    return { ok: true, value: await carryOut(order) };
  } catch (error) {
    if (!(error instanceof KeyStoreError)) throw error;
    const { code, message, isTransient } = error;
    return { ok: false, code, message, isTransient, cause: causeOf(error) };
  }
}

async function reply(order: Parameters<typeof carryOut>[0]): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(await answer(order));
}

parentPort?.on('message', (order: SessionOrder) => {
  if (order.kind === 'close') {
    session?.close();
    parentPort?.close();
  } else {
    void reply(order);
  }
});
