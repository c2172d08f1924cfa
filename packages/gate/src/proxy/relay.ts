import type { ServerResponse } from 'node:http';
import type { ReturnedHead } from './returned-headers.ts';

/** A small answer is complete before there is somebody to write it to, and is then written at once. */
const earlyBytesMax = 65_536;

/** The upstream's side of an answer that is passed on. */
export interface RelaySource {
  pause(): void;
  resume(): void;
  /** Ends the upstream's connection: nobody reads the rest. */
  abort(): void;
}

/**
 * An upstream's answer on its way to the client. It is never held as a whole: the upstream waits while the client reads
 * more slowly. An answer that breaks off is cut, never completed.
 */
export class Relay {
  readonly head: ReturnedHead;
  readonly #source: RelaySource;
  #response: ServerResponse | undefined;
  /** Bytes that came before there was somebody to write them to. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #state: 'open' | 'ended' | 'broken' = 'open';

  constructor(head: ReturnedHead, source: RelaySource) {
    this.head = head;
    this.#source = source;
  }

  /** Takes bytes from the upstream. */
  data(chunk: Buffer): void {
    if (this.#response === undefined) {
      this.#early.push(chunk);
      this.#earlyBytes += chunk.length;
      if (this.#earlyBytes > earlyBytesMax) this.#source.pause();
    } else if (!this.#response.write(chunk)) this.#source.pause();
  }

  /** Notes that the upstream's answer is complete. */
  end(): void {
    this.#state = 'ended';
    this.#response?.end();
  }

  /** Notes that the upstream's answer broke off. */
  break(): void {
    this.#state = 'broken';
    if (this.#response) this.#cut(this.#response);
  }

  /** Writes the body to an answer whose head is written, as far as it has come and as it comes. */
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
      response.end(early.length === 1 ? early[0] : Buffer.concat(early));
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

  /** Ends the upstream's connection when the answer cannot be written. */
  abandon(): void {
    if (this.#state === 'open') this.#source.abort();
  }

  /** Ends an answer so that it does not look complete: one that ends with its connection would, if that ended cleanly. */
  #cut(response: ServerResponse): void {
    const { headers } = this.head;
    const hasLength = headers.some(
      (name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length',
    );
    if (hasLength || response.chunkedEncoding || !response.socket) response.destroy();
    else response.socket.resetAndDestroy();
  }
}
