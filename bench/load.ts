import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends prepared requests over several connections, one at a time on each, and resolves with the requests per
 * second. Rejects on an unexpected status.
 */
export async function load(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  status: number,
): Promise<number> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  let next = 0;
  const started = process.hrtime.bigint();
  await Promise.all(
    open.map(async (connection) => {
      while (next < requests.length) {
        const got = await connection.send(requests[next++]!);
        if (got !== status) throw new Error(`The server answered ${got}, not ${status}.`);
      }
    }),
  );
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  for (const connection of open) connection.close();
  return requests.length / seconds;
}

/**
 * Sends prepared requests at a fixed rate, which the server must be able to handle, and resolves with the
 * milliseconds that each response took. Rejects on an unexpected status, unless `onOther` is told of it.
 */
export async function loadAtRate(
  port: number,
  requests: readonly Buffer[],
  perSecond: number,
  status: number,
  onOther?: (status: number) => void,
): Promise<number[]> {
  const idle = await Promise.all(Array.from({ length: connectionsAtRate }, () => openConnection(port)));
  const all = [...idle];
  const answers: Promise<number>[] = [];
  const startedMs = performance.now();
  while (answers.length < requests.length) {
    const due = Math.min(requests.length, ((performance.now() - startedMs) * perSecond) / 1000);
    while (answers.length < due && idle.length > 0) {
      const connection = idle.shift()!;
      const answer = timed(connection, requests[answers.length]!, status, onOther);
      answers.push(answer.finally(() => idle.push(connection)));
      // All of them are awaited below. Until then, one that fails must not end the process.
      answers.at(-1)!.catch(() => undefined);
    }
    await sleep(1);
  }
  const milliseconds = await Promise.all(answers);
  for (const connection of all) connection.close();
  return milliseconds;
}

/** Far more than are in use at once, unless the machine stalls. */
const connectionsAtRate = 64;

async function timed(
  connection: Connection,
  request: Buffer,
  status: number,
  onOther: ((status: number) => void) | undefined,
): Promise<number> {
  const startedMs = performance.now();
  // A connection that the server closed counts as status 0.
  const got = await (onOther === undefined
    ? connection.send(request)
    : connection.send(request).catch(() => 0));
  if (got !== status) {
    if (onOther === undefined) throw new Error(`The server answered ${got}, not ${status}.`);
    onOther(got);
  }
  return performance.now() - startedMs;
}

/** A connection that carries one request at a time. */
interface Connection {
  /** Resolves with the status of the response once it is complete. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

function openConnection(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      let buffered = '';
      let waiting: ((status: number) => void) | undefined;
      let ended: (() => void) | undefined;
      socket.on('close', () => ended?.());
      socket.on('data', (chunk: Buffer) => {
        buffered += chunk.toString('latin1');
        const status = statusOf(buffered);
        if (status === undefined) return;
        buffered = '';
        waiting?.(status);
      });
      resolve({
        send: (request) =>
          new Promise((answered, broken) => {
            waiting = answered;
            ended = () => broken(new Error('The server closed the connection.'));
            // Closed before, it would never answer.
            if (socket.destroyed) ended();
            else socket.write(request);
          }),
        close: () => socket.destroy(),
      });
    });
    socket.on('error', reject);
  });
}

/** Returns the status of a response; undefined while it has fewer bytes than its Content-Length says. */
function statusOf(answer: string): number | undefined {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer.slice(0, headEnd))?.[1] ?? 0);
  return answer.length < headEnd + 4 + length ? undefined : Number(answer.slice(9, 12));
}
