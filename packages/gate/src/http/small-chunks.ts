import type { IncomingMessage } from 'node:http';

/** The number of chunks that are joined, and after which the connection waits for the next turn. */
const chunksAtOnce = 1024;

/**
 * Collects the chunks of a body, which its sender can make as small as one byte each. Every chunk is an object of some hundred
 * bytes, and costs as much as a long one; the system hands over up to 2 MiB of them in one turn of the event loop. So after many
 * chunks they are joined, and the connection is read on in the next turn.
 */
export class SmallChunks {
  readonly #socket: IncomingMessage['socket'];
  readonly #chunks: Buffer[];
  #count = 0;
  #isHeld = false;

  /** @param chunks where they are collected */
  constructor({ socket }: IncomingMessage, chunks: Buffer[]) {
    this.#socket = socket;
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

  /** Whoever reads the request resumes its connection, so it is paused again each time. */
  #hold(): void {
    const socket = this.#socket;
    if (this.#isHeld || socket.isPaused()) return;
    this.#isHeld = true;
    const pause = (): void => void socket.pause();
    socket.on('resume', pause);
    pause();
    setImmediate(() => {
      this.#isHeld = false;
      socket.off('resume', pause);
      socket.resume();
    });
  }
}
