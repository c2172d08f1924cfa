import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * A request as the gate reads it: the original target, even if it was rewritten since, and a body that
 * remains in the original afterwards, for the framework's own parser. Nothing is read before the gate asks
 * for it.
 */
export class PeekedRequest extends Readable {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly socket: IncomingMessage['socket'];
  readonly #request: IncomingMessage;
  readonly #isAnswered: () => boolean;
  readonly #chunks: Buffer[] = [];
  #isReading = false;

  constructor(request: IncomingMessage, rawTarget: string | undefined, isAnswered: () => boolean) {
    super();
    this.method = request.method;
    this.url = rawTarget;
    this.rawHeaders = request.rawHeaders;
    this.httpVersion = request.httpVersion;
    this.socket = request.socket;
    this.#request = request;
    this.#isAnswered = isAnswered;
  }

  get complete(): boolean {
    return this.#request.complete;
  }

  override _read(): void {
    const request = this.#request;
    if (this.#isReading) return;
    this.#isReading = true;
    if (request.destroyed) {
      this.destroy();
      return;
    }
    this.#take();
    if (request.complete) return;
    request.on('close', this.#cut).on('error', this.#cut);
    // Starts the flow. Listening alone would do so a tick later, and would end a body that turns out empty by then.
    request.read(0);
    request.on('readable', this.#take);
  }

  readonly #take = (): void => {
    const request = this.#request;
    while (request.readableLength > 0) {
      const chunk = request.read() as Buffer;
      // After a rejection the rest is discarded.
      if (this.#isAnswered()) this.#chunks.length = 0;
      else this.#chunks.push(chunk);
      this.push(chunk);
    }
    if (!request.complete) return;
    this.#letGo();
    // In the same turn as the last read, so that the original has not ended yet.
    if (this.#chunks.length > 0) request.unshift(Buffer.concat(this.#chunks));
    this.push(null);
  };

  readonly #cut = (): void => {
    this.#letGo();
    this.destroy();
  };

  #letGo(): void {
    this.#request.off('readable', this.#take).off('close', this.#cut).off('error', this.#cut);
  }
}

/** Returns true if the request's body has been read, or is about to be. */
export function isBodyTaken(request: IncomingMessage): boolean {
  return (
    request.readableDidRead ||
    request.readableFlowing !== null ||
    request.listenerCount('readable') > 0 ||
    request.listenerCount('data') > 0
  );
}
