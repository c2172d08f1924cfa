import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A port that leads to another one: what an address is to the programs that use it when the network is cut, and when the
 * server behind it changes.
 */
export class TcpSwitch {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;
  #isCut = false;
  #opened = 0;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near));
  }

  /** Opens one on a free port of 127.0.0.1. */
  static async open(target: number): Promise<TcpSwitch> {
    const opened = new TcpSwitch(target);
    opened.#server.listen(0, '127.0.0.1');
    await once(opened.#server, 'listening');
    return opened;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections have been opened. */
  get opened(): number {
    return this.#opened;
  }

  /** Ends every connection, and leads new ones to another port. */
  turn(target: number): void {
    this.#target = target;
    this.#endAll();
  }

  /** From now on nothing passes and nothing is said, as when a cable is pulled. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** What was cut is lost; new connections pass again. */
  mend(): void {
    this.#isCut = false;
    this.#endAll();
  }

  async close(): Promise<void> {
    this.#endAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #endAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    this.#opened += 1;
    this.#keep(near);
    if (this.#isCut) return;
    const far = connect(this.#target, '127.0.0.1');
    this.#keep(far);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
