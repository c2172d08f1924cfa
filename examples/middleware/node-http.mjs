// An API on plain node:http that only signed requests reach.
import { createServer } from 'node:http';
import { createVerifier } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/node';
import { findClient } from './clients.mjs';

const port = Number(process.env.PORT ?? 3000);
const verifier = createVerifier({ baseUrls: [`http://127.0.0.1:${port}`], findClient });

const answerSigned = countersign(verifier, (request, response, signed) => {
  const { clientId, permissions, body } = signed; // the bytes that were signed
  if (request.method !== 'POST' || request.url !== '/orders') return response.writeHead(404).end();
  if (!permissions.has('orders:write')) return response.writeHead(403).end();
  const { amount } = JSON.parse(body.toString());
  response.writeHead(201, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ clientId, amount }));
});

const server = createServer((request, response) => {
  if (request.url === '/health') response.end('ok'); // in front of it: nobody signs this
  else answerSigned(request, response);
});
server.listen(port, '127.0.0.1');
