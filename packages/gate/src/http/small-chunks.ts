import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The number of chunks that are joined, and after which reading pauses until the next turn. */
const chunksAtOnce = 256;

/** As much as the system delivers at once. */
const readBytes = 65_536;

/**
 * Collects the chunks of a body, whose sender can make them as small as one byte each. Every chunk is an
 * object of some hundred bytes, and costs as much to handle as a long one; the system delivers up to 2 MiB of
 * them in one turn of the event loop, plus 64 KiB that may have been waiting. So after many chunks they are
 * joined, reading continues in the next turn, and what the parser still has in hand is joined before it becomes
 * events.
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

  #hold(): void {
    const request = this.#request;
    if (this.#isHeld) return;
    this.#isHeld = true;
    // A connection that is paused already is resumed by what paused it.
    const release = request.socket.isPaused() ? undefined : holdConnection(request.socket);
    request.pause();
    const endJoining = joinPushes(request);
    setImmediate(() => {
      this.#isHeld = false;
      endJoining();
      release?.();
      if (!this.#isOver) request.resume();
    });
  }
}

/** Pauses a connection until the release. A request that wants more data resumes it, so it is paused again each time. */
function holdConnection(socket: Socket): () => void {
  const pause = (): void => void socket.pause();
  socket.on('resume', pause);
  pause();
  return () => {
    socket.off('resume', pause);
    socket.resume();
  };
}

/**
 * Joins what the parser pushes into a request, which makes ten thousand chunks of one byte three times as cheap.
 *
 * @returns a function that pushes what was joined, and ends the joining
 */
function joinPushes(request: IncomingMessage): () => void {
  const room = Buffer.allocUnsafe(readBytes);
  const ofClass = Reflect.get(request, 'push');
  const push = (chunk: Buffer | null): boolean => ofClass.call(request, chunk);
  let length = 0;
  const pushJoined = (): void => {
    if (length > 0) push(Buffer.from(room.subarray(0, length)));
    length = 0;
  };
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null || chunk.length > room.length - length) pushJoined();
    if (chunk === null || chunk.length > room.length) return push(chunk);
    length += chunk.copy(room, length);
    return true;
  };
  return () => {
    // A function around it would add a layer to every later push, for each hold.
    request.push = ofClass;
    pushJoined();
  };
}
