import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';

/** Waiting requests per connection: a service that does not keep up is not sent more than it can handle. */
const waitingMax = 8;

/** A connection for forged requests, reopened after it has ended. */
export class ForgedConnection {
  readonly #open: () => Socket;
  readonly #onStatus: (status: string) => void;
  #socket: Socket | undefined;
  #waitingCount = 0;

  constructor(open: () => Socket, onStatus: (status: string) => void) {
    this.#open = open;
    this.#onStatus = onStatus;
  }

  /** Sends a request. Returns false if too many wait for their responses. */
  send(request: string): boolean {
    if (this.#waitingCount >= waitingMax) return false;
    this.#socket ??= this.#connect();
    this.#socket.write(request, 'latin1');
    this.#waitingCount += 1;
    return true;
  }

  #connect(): Socket {
    const socket = this.#open();
    socket.on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d+) /g)) {
        this.#waitingCount -= 1;
        this.#onStatus(status);
      }
    });
    socket.once('close', () => {
      this.#socket = undefined;
      this.#waitingCount = 0;
    });
    return socket;
  }
}

/** An existing client, and the format of a signature in its name. */
export interface ForgedSender {
  readonly host: string;
  readonly clientId: string;
  readonly signatureBytes: number;
}

/** Writes a request that passes every check before the signature: the most work that a stranger can cause. */
export function forgedRequest({ host, clientId, signatureBytes }: ForgedSender): string {
  const now = new Date();
  const created = Math.floor(now.getTime() / 1000);
  const signature = randomBytes(signatureBytes);
  // As a number it is below the modulus, so that it is verified completely.
  signature[0]! &= 0x7f;
  const lines = [
    'GET /v1/payments HTTP/1.1',
    `Host: ${host}`,
    `Date: ${now.toUTCString()}`,
    `Signature-Input: sig=("@method" "@target-uri" "date");created=${created};keyid="${clientId}";alg="rsa-v1_5-sha256"`,
    `Signature: sig=:${signature.toString('base64')}:`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
