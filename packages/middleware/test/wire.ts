import { openConnection } from '@countersign/testing/raw-connection';
import { readAnswer, type WireAnswer, type WireRequest } from '@countersign/testing/wire';

/** Sends a request and reads until the server ends the connection. */
export async function exchange(port: number, request: WireRequest): Promise<WireAnswer> {
  const connection = await openConnection(port);
  const headers = [...request.headers, ['Connection', 'close']];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`${request.method} ${request.target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  if (request.body !== undefined) connection.write(Buffer.from(request.body));
  const received = await connection.ended();
  connection.cut();
  return readAnswer(received);
}
