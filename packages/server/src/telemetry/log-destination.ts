import { write } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Characters that wait for a slow disk at most; beyond that lines are lost, rather than the service. */
const waitingLengthMax = 33_554_432;
const retryAfterMs = 20;

/**
 * Where the lines of the log go: an open file, or standard error. Nobody waits for the disk: what comes while a write
 * runs is written together by the next one. Lines that cannot be written are lost, and `onFailure` is told when that
 * begins; the service goes on.
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

  /** Takes a line, with its line end. */
  write(line: string): void {
    if (this.#waitingLength + line.length > waitingLengthMax)
      return this.#fail(new Error('the disk is too slow'));
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (!this.#isWriting) this.#writeNext();
  }

  /** Calls back when everything taken so far is written or lost. */
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
        // Standard error may be a pipe that takes nothing at the moment.
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
