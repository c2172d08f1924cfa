import type { AnsweredRequest, Observer, RequestRecord, Unparsable } from '@countersign/gate';
import type { MainThread } from './main-thread.ts';
import type { SentRecord, ThreadFigures } from './thread-messages.ts';

/** Beyond this number, records are dropped and counted, because the main thread cannot keep up. */
const waitingMax = 20_000;
/** Maximum number of rejected requests, which may have bodies, being sent for explanation. */
const failuresMax = 16;
const sendEveryMs = 10;
const batchMax = 200;

/** Sends what happened in a thread to the main thread, in batches, one at a time. */
export class RecordRelay implements Observer {
  readonly #main: MainThread;
  readonly #figures: () => ThreadFigures;
  #records: SentRecord[] = [];
  #unparsable: Unparsable[] = [];
  #handled: [number, string][] = [];
  #turnedAway: string[] = [];
  #failures = 0;
  #dropped = 0;
  #isOnItsWay = false;
  #timer: NodeJS.Timeout | undefined;
  #whenEmpty: (() => void) | undefined;

  constructor(main: MainThread, figures: () => ThreadFigures) {
    this.#main = main;
    this.#figures = figures;
  }

  answered(record: RequestRecord, { sender, failed, ...request }: AnsweredRequest): void {
    if (this.#records.length >= waitingMax) {
      this.#dropped += 1;
      return;
    }
    const isExplained = failed !== undefined && this.#failures < failuresMax;
    if (isExplained) this.#failures += 1;
    const kept = isExplained
      ? {
          ...failed,
          head: { ...failed.head },
          sender: { claimedClientId: sender.client?.clientId ?? sender.claimedClientId },
        }
      : undefined;
    this.#records.push({ record, request: { ...request, failed: kept }, keyId: sender.key?.keyId });
    this.#sendSoon();
  }

  readonly unparsable = (unparsable: Unparsable): void => {
    if (this.#unparsable.length >= waitingMax) this.#dropped += 1;
    else this.#unparsable.push(unparsable);
    this.#sendSoon();
  };

  failed(error: unknown, requestId: string, message: string): void {
    this.#main.send({ kind: 'failed', error: toError(error), requestId, message });
  }

  handled(durationMs: number, upstream: string): void {
    if (this.#handled.length < waitingMax) this.#handled.push([durationMs, upstream]);
    this.#sendSoon();
  }

  turnedAway(sourceAddress: string): void {
    if (this.#turnedAway.length < waitingMax) this.#turnedAway.push(sourceAddress);
    this.#sendSoon();
  }

  /** Sends the figures even if nothing has happened. */
  sendFigures(): void {
    if (!this.#isOnItsWay) this.#sendAll();
  }

  /** Called when the main thread has processed the last batch. */
  taken(): void {
    this.#isOnItsWay = false;
    this.#send();
  }

  /** Resolves once the main thread has everything. */
  async close(): Promise<void> {
    if (this.#send() || this.#isOnItsWay) await new Promise<void>((resolve) => (this.#whenEmpty = resolve));
  }

  #sendSoon(): void {
    if (!this.#isOnItsWay && this.#records.length >= batchMax) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), sendEveryMs);
  }

  /**
   * Sends everything that is waiting, unless a batch is being processed. Returns false if there is nothing to
   * send.
   */
  #send(): boolean {
    if (this.#isOnItsWay) return true;
    const counts = [this.#records, this.#unparsable, this.#handled, this.#turnedAway].map(
      ({ length }) => length,
    );
    if (counts.every((count) => count === 0) && this.#dropped === 0) {
      this.#whenEmpty?.();
      return false;
    }
    this.#sendAll();
    return true;
  }

  #sendAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOnItsWay = true;
    this.#main.send({
      kind: 'happened',
      records: this.#records,
      unparsable: this.#unparsable,
      handled: this.#handled,
      turnedAway: this.#turnedAway,
      dropped: this.#dropped,
      figures: this.#figures(),
    });
    this.#records = [];
    this.#unparsable = [];
    this.#handled = [];
    this.#turnedAway = [];
    this.#dropped = 0;
    this.#failures = 0;
  }
}

/** Only errors are certain to be transferable. */
function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
