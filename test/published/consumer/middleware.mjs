// Protects a server with the installed package, and calls it.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createVerifier } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/node';
import { createSigner, MemoryReplayGuard } from '@countersign/signature/node';

const closures = [];
for (const name of ['express', 'fastify', 'hono', 'koa', 'node'])
  closures.push(typeof (await import(`@countersign/middleware/${name}`)).countersign);

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' });
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const verifier = createVerifier({
  baseUrls: [baseUrl],
  findClient: (clientId) => (clientId === 'shop' ? { keys: [publicKey], network: ['127.0.0.1'] } : undefined),
  guard: new MemoryReplayGuard(),
});
const greet = async (request, response, { clientId }) => {
  const { amount } = JSON.parse((await request.toArray()).join(''));
  response.end(`${clientId} ${amount}`);
};
server.on('request', countersign(verifier, greet));

const { method, url, headers, body } = createSigner({ keyid: 'shop', privateKey: pair.privateKey }).sign({
  method: 'POST',
  url: `${baseUrl}/orders`,
  body: '{"amount":1250}',
});
const accepted = await fetch(url, { method, headers, body });
const refused = await fetch(url);
console.log(JSON.stringify({ closures, answers: [await accepted.text(), (await refused.json()).code] }));
server.close();
server.closeAllConnections();
