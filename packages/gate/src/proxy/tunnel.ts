import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Awaitable } from '@countersign/signature/profile';
import type { ReturnedHead } from './returned-headers.ts';

/**
 * A connection that has switched to another protocol (RFC 9110 section 7.8). Bytes now pass unchanged in both
 * directions; none of them are signed.
 */
export class Tunnel {
  readonly head: ReturnedHead;
  readonly #upstream: Duplex;

  constructor(head: ReturnedHead, upstream: Duplex) {
    this.head = head;
    this.#upstream = upstream;
    // Until the tunnel is connected, the end of this side must not cause an unhandled error.
    upstream.on('error', () => undefined);
  }

  /** Connects both sides once the response's head is written. When one side ends, the other does too. */
  pipe(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null || socket.destroyed || this.#upstream.destroyed) {
      response.destroy();
      this.abandon();
      return;
    }
    response.flushHeaders();
    response.detachSocket(socket);
    const upstream = this.#upstream;
    socket.on('error', () => undefined);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
    upstream.pipe(socket);
    socket.pipe(upstream);
  }

  abandon(): void {
    this.#upstream.destroy();
  }

  /** Calls a function once this tunnel has ended. */
  onceEnded(act: () => void): void {
    if (this.#upstream.closed) act();
    else this.#upstream.once('close', act);
  }
}

/** Closes a tunnel when its client is no longer admitted. Checks several times a second. */
export function endWhenRefused(tunnel: Tunnel, isAdmitted: () => Awaitable<boolean>): void {
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await isAdmitted())) tunnel.abandon();
    } catch {
      tunnel.abandon();
    }
    isAsking = false;
  };
  const timer = setInterval(() => void ask(), askEveryMs).unref();
  tunnel.onceEnded(() => clearInterval(timer));
}

/** A change to a client applies within a second, and part of that passes until the registry's memory has it. */
const askEveryMs = 200;
