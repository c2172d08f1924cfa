import { connect, type Socket } from 'node:net';

/**
 * Sends prepared requests over several connections, one at a time on each, and resolves with the requests per second. Rejects on an
 * unexpected status.
 */
export async function load(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  status: number,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let next = 0;
  const started = process.hrtime.bigint();
  await Promise.all(
    sockets.map(async (socket) => {
      const answers = statusReader(socket);
      while (next < requests.length) {
        const answer = answers();
        socket.write(requests[next++]!);
        const got = await answer;
        if (got !== status) throw new Error(`The server answered ${got}, not ${status}.`);
      }
    }),
  );
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  for (const socket of sockets) socket.destroy();
  return requests.length / seconds;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Reads one answer: the status line, and as many bytes as Content-Length says. */
function statusReader(socket: Socket): () => Promise<number> {
  let buffered = '';
  let waiting: ((status: number) => void) | undefined;
  socket.on('data', (chunk: Buffer) => {
    buffered += chunk.toString('latin1');
    const headEnd = buffered.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(buffered.slice(0, headEnd))?.[1] ?? 0);
    if (buffered.length < headEnd + 4 + length) return;
    const status = Number(buffered.slice(9, 12));
    buffered = '';
    waiting?.(status);
  });
  return () => new Promise((resolve) => (waiting = resolve));
}
