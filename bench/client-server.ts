import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveUntilStopped } from './child.ts';

/** Accepts requests and responds with a few bytes, for the benchmark of the client. */
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end('{"ok":true}'));
});
server.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
await serveUntilStopped((server.address() as AddressInfo).port);
server.closeAllConnections();
server.close();
