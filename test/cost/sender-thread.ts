import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** A request to send unchanged, to a port of this machine. */
export interface Sending {
  readonly port: number;
  readonly bytes: Uint8Array;
}

/** The relevant parts of its response. */
export interface Receipt {
  readonly status: number;
  /** The problem's code; empty for other responses. */
  readonly code: string;
  readonly bytes: number;
}

// The protected API.
const upstream = createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on('end', () => outgoing.end('{}'));
});
upstream.listen(0, '127.0.0.1', () => {
  const { port } = upstream.address() as AddressInfo;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(`http://127.0.0.1:${port}`);
});

parentPort?.on('message', ({ port, bytes }: Sending) => {
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    // A stream of events has no end.
    if (chunks.length === 1 && chunk.includes('text/event-stream')) socket.destroy();
  });
  // A rejection may arrive before the whole body is sent, and end the connection.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(receiptOf(Buffer.concat(chunks)));
  });
});

function receiptOf(response: Buffer): Receipt {
  const head = response.subarray(0, 16_384).toString('latin1');
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  const [, code = ''] = /^content-type: application\/problem\+json/im.test(head)
    ? (/"code":"([a-z_]+)"/.exec(head) ?? [])
    : [];
  return { status: Number(status), code, bytes: response.length };
}
