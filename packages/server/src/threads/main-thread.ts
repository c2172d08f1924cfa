import type { MessagePort } from 'node:worker_threads';
import type { Refusal } from '@countersign/signature/node';
import type { FromThread, ToThread } from './thread-messages.ts';

type MainResponse = Extract<ToThread, { kind: 'response' }>;
type Call = Extract<FromThread, { call: number }>;
/** A call without its number. */
type NewCall = Call extends infer One ? (One extends Call ? Omit<One, 'call'> : never) : never;

/** The main thread, as seen from another thread. */
export class MainThread {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  readonly #waiting = new Map<number, (response: MainResponse) => void>();
  #calls = 0;

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#port = port;
  }

  /** Reserves a second of the replay guard. */
  async reserve(created: number, nowSeconds: number): Promise<Refusal | undefined> {
    return (await this.#call({ kind: 'reserve', created, nowSeconds })).refusal;
  }

  /** Makes the main thread's registry read a client, if it exists. Rejects if storage is unavailable. */
  async read(clientId: string): Promise<void> {
    if (!(await this.#call({ kind: 'read', clientId })).isDone) throw new Error('The client cannot be read.');
  }

  /** Makes the main thread's registry check storage for changes. Rejects if storage is unavailable. */
  async refresh(): Promise<void> {
    if (!(await this.#call({ kind: 'refresh' })).isDone) throw new Error('The registry cannot be read.');
  }

  send(message: FromThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#port.postMessage(message);
  }

  received(response: MainResponse): void {
    this.#waiting.get(response.call)?.(response);
    this.#waiting.delete(response.call);
  }

  #call(newCall: NewCall): Promise<MainResponse> {
    const call = ++this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(call, resolve);
      this.send({ ...newCall, call });
    });
  }
}
