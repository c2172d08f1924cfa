import type { IncomingMessage } from 'node:http';

/** The number of chunks that are joined, and after which reading pauses until the next turn. */
const chunksAtOnce = 1024;

/**
 * Collects the chunks of a body, whose sender can make them as small as one byte each. Every chunk is an
 * object of some hundred bytes, and costs as much to handle as a long one; the system delivers up to 2 MiB of
 * them in one turn of the event loop, plus 64 KiB that may have been waiting. So after many chunks they are
 * joined, and reading continues in the next turn.
 */
export class SmallChunks {
  readonly #request: IncomingMessage;
  readonly #chunks: Buffer[];
  #count = 0;
  #isHeld = false;
  #isOver = false;

  /** @param chunks the array that collects them */
  constructor(request: IncomingMessage, chunks: Buffer[]) {
    this.#request = request;
    this.#chunks = chunks;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#count += 1;
    if (this.#count < chunksAtOnce) return;
    this.#count = 0;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-chunksAtOnce)));
    this.#hold();
  }

  /** Stops collecting, so that other code can continue to read the request. */
  end(): void {
    this.#isOver = true;
  }

  /** A request that wants more data resumes its connection, so the connection is paused again each time. */
  #hold(): void {
    const request = this.#request;
    const { socket } = request;
    if (this.#isHeld || socket.isPaused()) return;
    this.#isHeld = true;
    const pause = (): void => void socket.pause();
    socket.on('resume', pause);
    pause();
    request.pause();
    setImmediate(() => {
      this.#isHeld = false;
      socket.off('resume', pause);
      socket.resume();
      if (!this.#isOver) request.resume();
    });
  }
}
