import type { ServerResponse } from 'node:http';
import { endWith } from '../http/send-bytes.ts';
import type { ReturnedHead } from './returned-headers.ts';

/**
 * How much is held before the head is written; beyond it, the upstream is paused. A response that fits is complete by
 * then, and is written in one piece.
 */
const earlyBytesMax = 65_536;

/** The upstream's side of a response that is passed on. */
export interface RelaySource {
  pause(): void;
  resume(): void;
  /** Ends the upstream's connection, because nobody reads the rest. */
  abort(): void;
}

/** Takes the body of a response in place of a client. Never throws. */
export interface BodySink {
  data(chunk: Uint8Array): void;
  /** The body is complete. */
  end(): void;
  /** The body broke off. */
  break(): void;
}

/**
 * An upstream's response on its way to the client. It is never held as a whole: if the client reads slowly,
 * the upstream waits. A response that breaks off is cut off, never completed.
 */
export class Relay {
  readonly head: ReturnedHead;
  readonly #source: RelaySource;
  #response: ServerResponse | undefined;
  #sink: BodySink | undefined;
  /** Bytes that arrived before there was a response to write them to. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #state: 'open' | 'ended' | 'broken' = 'open';

  constructor(head: ReturnedHead, source: RelaySource) {
    this.head = head;
    this.#source = source;
  }

  /** Receives bytes from the upstream. */
  data(chunk: Buffer): void {
    if (this.#response === undefined) {
      if (this.#sink !== undefined) return this.#sink.data(chunk);
      this.#early.push(chunk);
      this.#earlyBytes += chunk.length;
      if (this.#earlyBytes > earlyBytesMax) this.#source.pause();
    } else if (!this.#response.write(chunk)) this.#source.pause();
  }

  /** Records that the upstream's response is complete. */
  end(): void {
    this.#state = 'ended';
    this.#response?.end();
    this.#sink?.end();
  }

  /** Records that the upstream's response broke off. */
  break(): void {
    this.#state = 'broken';
    if (this.#response) this.#cut(this.#response);
    this.#sink?.break();
  }

  /** Gives the body to a sink: the part that has arrived, then the rest as it arrives. */
  into(sink: BodySink): void {
    this.#sink = sink;
    for (const chunk of this.#early) sink.data(chunk);
    this.#early = [];
    if (this.#state === 'ended') sink.end();
    else if (this.#state === 'broken') sink.break();
    else this.#source.resume();
  }

  /** Writes the body to a response whose head is written: the part that has arrived, then the rest as it arrives. */
  pipe(response: ServerResponse): void {
    if (this.#state === 'broken' || response.destroyed) {
      this.#cut(response);
      this.#source.abort();
      return;
    }
    this.#response = response;
    const early = this.#early;
    this.#early = [];
    if (this.#state === 'ended') {
      endWith(response, early.length === 1 ? early[0]! : Buffer.concat(early));
      return;
    }
    response.on('drain', () => this.#source.resume());
    response.once('close', () => {
      if (this.#state === 'open') this.#source.abort();
    });
    let isWritable = true;
    for (const chunk of early) isWritable = response.write(chunk);
    if (early.length === 0) response.flushHeaders();
    if (isWritable) this.#source.resume();
  }

  /** Ends the upstream's connection if the response cannot be written. */
  abandon(): void {
    if (this.#state === 'open') this.#source.abort();
  }

  /**
   * Ends a response so that it does not look complete. A response that is delimited by the end of its
   * connection would look complete after a clean close.
   */
  #cut(response: ServerResponse): void {
    const { headers } = this.head;
    const hasLength = headers.some(
      (name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length',
    );
    if (hasLength || response.chunkedEncoding || !response.socket) response.destroy();
    else response.socket.resetAndDestroy();
  }
}
