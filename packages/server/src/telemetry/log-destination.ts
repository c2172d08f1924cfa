import { write } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Maximum number of characters waiting for a slow disk; beyond that, the service drops lines to stay up. */
const waitingLengthMax = 33_554_432;
const retryAfterMs = 20;
/**
 * Lines that arrive within this time are written together: on a busy service, one write per line would cost
 * more than the line.
 */
const gatherMs = 10;
/** A batch of this length is written without waiting for more. */
const gatheredLengthMax = 65_536;
/** Lost lines are noted this soon after the disk becomes writable again, even if nothing else is logged. */
const retryNoteAfterMs = 1000;
const lineBreak = 10;

/** Options for a log destination. */
export interface LogDestinationOptions {
  /** Called when lines start to be lost. */
  readonly onFailure: (error: Error) => void;
  /** Returns the line, with its line break, that replaces lost ones. */
  readonly noteLost: (lines: number) => string;
  /** True if the file ends in the middle of a line, because the previous process was killed. */
  readonly isTorn?: boolean;
  /** The number of lines that were lost before. */
  readonly lostLines?: number;
  /** Writes to the descriptor. Default `fs.write`; tests make it fail. */
  readonly write?: WriteBytes;
}

type WriteBytes = (
  descriptor: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/**
 * The destination of log lines: an open file or standard error. Nothing waits for the disk: lines that arrive
 * within a few milliseconds, or during a write, are written together in the next one.
 *
 * Lines that cannot be written are lost, and the service keeps running. If a full disk cut a line, the rest of
 * it is written first, followed by a line with the number of lost lines.
 */
export class LogDestination implements DestinationStream {
  readonly #descriptor: number;
  readonly #options: LogDestinationOptions;
  readonly #write: WriteBytes;
  #waiting: string[] = [];
  #waitingLength = 0;
  #isWriting = false;
  #gathering: NodeJS.Timeout | undefined;
  #isFailing = false;
  /** The rest of a line whose beginning is already in the file. */
  #unfinished: Buffer;
  #lostLines: number;
  #isRetrying = false;
  #flushes: (() => void)[] = [];

  constructor(descriptor: number, options: LogDestinationOptions) {
    this.#descriptor = descriptor;
    this.#options = options;
    this.#write = options.write ?? write;
    this.#unfinished = Buffer.from(options.isTorn === true ? '\n' : '');
    this.#lostLines = options.lostLines ?? 0;
  }

  /** True while lines are lost. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Queues a line, which includes its line break. */
  write(line: string): void {
    if (this.#waitingLength + line.length > waitingLengthMax) {
      this.#lostLines += 1;
      return this.#fail(new Error('the disk is too slow'));
    }
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#isWriting) return;
    if (this.#waitingLength > gatheredLengthMax) this.#writeGathered();
    else this.#gathering ??= setTimeout(() => this.#writeGathered(), gatherMs);
  }

  #writeGathered(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (!this.#isWriting) this.#writeNext();
  }

  /** Calls back when everything queued so far is written or lost. */
  flush(done: () => void = () => undefined): void {
    this.#flushes.push(done);
    this.#writeGathered();
  }

  #writeNext(): void {
    this.#isWriting = this.#waiting.length > 0;
    if (this.#isWriting) {
      const lines = this.#waiting.join('');
      this.#waiting = [];
      this.#waitingLength = 0;
      this.#writeBatch(lines);
      return;
    }
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const done of flushes) done();
  }

  #writeBatch(lines: string): void {
    const noted = this.#lostLines;
    const note = noted > 0 ? this.#options.noteLost(noted) : '';
    this.#writeFrom(0, Buffer.concat([this.#unfinished, Buffer.from(note + lines, 'utf8')]), noted);
  }

  /** @param noted the number of lost lines that the batch reports */
  #writeFrom(start: number, bytes: Buffer, noted: number): void {
    this.#write(this.#descriptor, bytes.subarray(start), (error, written) => {
      if (error?.code === 'EAGAIN') {
        // Standard error may be a pipe that is currently full.
        setTimeout(() => this.#writeFrom(start, bytes, noted), retryAfterMs);
        return;
      }
      if (error) {
        this.#lose(start, bytes, noted);
        this.#fail(error);
      } else if (start + written < bytes.length) return this.#writeFrom(start + written, bytes, noted);
      else this.#succeed(noted);
      this.#writeNext();
    });
  }

  #succeed(noted: number): void {
    this.#isFailing = false;
    this.#unfinished = Buffer.alloc(0);
    this.#lostLines -= noted;
    if (this.#lostLines > 0) this.#noteSoon();
  }

  /** Keeps the rest of the line that was cut, and counts the lines after it as lost. */
  #lose(end: number, bytes: Buffer, noted: number): void {
    const noteStart = this.#unfinished.length;
    const isCut = end < noteStart || (end > 0 && bytes[end - 1] !== lineBreak);
    const lostFrom = isCut ? bytes.indexOf(lineBreak, end) + 1 : end;
    let lost = 0;
    for (let at = bytes.indexOf(lineBreak, lostFrom); at >= 0; at = bytes.indexOf(lineBreak, at + 1))
      lost += 1;
    // A note that was partly written will be completed, and counts the earlier lines. One that was not is
    // itself a lost line.
    const hasBegun = end > noteStart;
    this.#lostLines += lost - (hasBegun ? noted : Math.min(noted, 1));
    this.#unfinished = bytes.subarray(end, lostFrom);
  }

  #fail(error: Error): void {
    if (!this.#isFailing) this.#options.onFailure(error);
    this.#isFailing = true;
    this.#noteSoon();
  }

  /** Schedules a write, so that the note about lost lines appears even if nothing else is logged. */
  #noteSoon(): void {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    setTimeout(() => {
      this.#isRetrying = false;
      if (this.#isWriting || (this.#lostLines === 0 && this.#unfinished.length === 0)) return;
      this.#isWriting = true;
      this.#writeBatch('');
    }, retryNoteAfterMs).unref();
  }
}
