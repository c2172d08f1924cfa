import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A port that leads to another one: what an address is to the programs that use it when the server behind it changes. */
export class TcpSwitch {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((incoming) => this.#join(incoming));
  }

  /** Opens one on a free port of 127.0.0.1. */
  static async open(target: number): Promise<TcpSwitch> {
    const opened = new TcpSwitch(target);
    opened.#server.listen(0, '127.0.0.1');
    await once(opened.#server, 'listening');
    return opened;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Ends every connection, and leads new ones to another port. */
  turn(target: number): void {
    this.#target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.turn(0);
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(incoming: Socket): void {
    const outgoing = connect(this.#target, '127.0.0.1');
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
