import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Receipt, Sending } from './sender-thread.ts';

/** Sends requests, and acts as the protected API, in its own thread: neither burdens the responding thread. */
export class Sender {
  readonly upstreamUrl: string;
  readonly #worker: Worker;

  private constructor(worker: Worker, upstreamUrl: string) {
    this.#worker = worker;
    this.upstreamUrl = upstreamUrl;
  }

  static async start(): Promise<Sender> {
    const worker = new Worker(new URL('./sender-thread.ts', import.meta.url));
    const [upstreamUrl] = (await once(worker, 'message')) as [string];
    return new Sender(worker, upstreamUrl);
  }

  async send(port: number, bytes: Uint8Array): Promise<Receipt> {
    const received = once(this.#worker, 'message') as Promise<[Receipt]>;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage({ port, bytes } satisfies Sending);
    const [receipt] = await received;
    return receipt;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
