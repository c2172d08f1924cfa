import { write } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Maximum number of characters waiting for a slow disk; beyond that, the service drops lines to stay up. */
const waitingLengthMax = 33_554_432;
const retryAfterMs = 20;

/**
 * The destination of log lines: an open file, or standard error. Nothing waits for the disk: lines that arrive during a
 * write go out together in the next one. Lines that cannot be written are lost; `onFailure` is called when that begins,
 * and the service keeps running.
 */
export class LogDestination implements DestinationStream {
  readonly #descriptor: number;
  readonly #onFailure: (error: Error) => void;
  #waiting: string[] = [];
  #waitingLength = 0;
  #isWriting = false;
  #isFailing = false;
  #flushes: (() => void)[] = [];

  constructor(descriptor: number, onFailure: (error: Error) => void) {
    this.#descriptor = descriptor;
    this.#onFailure = onFailure;
  }

  /** Queues a line, which includes its line break. */
  write(line: string): void {
    if (this.#waitingLength + line.length > waitingLengthMax)
      return this.#fail(new Error('the disk is too slow'));
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (!this.#isWriting) this.#writeNext();
  }

  /** Calls back when everything queued so far is written or lost. */
  flush(done: () => void = () => undefined): void {
    if (this.#isWriting) this.#flushes.push(done);
    else done();
  }

  #writeNext(): void {
    this.#isWriting = this.#waiting.length > 0;
    if (this.#isWriting) {
      const lines = Buffer.from(this.#waiting.join(''), 'utf8');
      this.#waiting = [];
      this.#waitingLength = 0;
      this.#writeAll(lines);
      return;
    }
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const done of flushes) done();
  }

  #writeAll(bytes: Buffer): void {
    write(this.#descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        // Standard error may be a pipe that is full right now.
        setTimeout(() => this.#writeAll(bytes), retryAfterMs);
        return;
      }
      if (error) this.#fail(error);
      else this.#isFailing = false;
      if (error || written === bytes.length) this.#writeNext();
      else this.#writeAll(bytes.subarray(written));
    });
  }

  #fail(error: Error): void {
    if (!this.#isFailing) this.#onFailure(error);
    this.#isFailing = true;
  }
}
