import type { IncomingMessage } from 'node:http';

/** The number of chunks that are joined, and after which the connection waits for the next turn. */
const chunksAtOnce = 1024;

/**
 * Collects the chunks of a body, which its sender can make as small as one byte each. Every chunk is an object of some hundred
 * bytes, and costs as much as a long one; the system hands over up to 2 MiB of them in one turn of the event loop, and 64 KiB may
 * have been waiting. So after many chunks they are joined, and the request is read on in the next turn.
 */
export class SmallChunks {
  readonly #request: IncomingMessage;
  readonly #chunks: Buffer[];
  #count = 0;
  #isHeld = false;
  #isOver = false;

  /** @param chunks where they are collected */
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

  /** Leaves the request to whoever reads on. */
  end(): void {
    this.#isOver = true;
  }

  /** A request that wants more resumes its connection, which is paused again each time. */
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
