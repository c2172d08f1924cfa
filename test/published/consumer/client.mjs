// A program of somebody else, in plain JavaScript: sends signed requests to a server that verifies them.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { signingRequest } from '@countersign/client/http';
import { createRequestSigner, signingFetch } from '@countersign/client/node';
import { createTestVerifier } from '@countersign/client/testing';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const verify = createTestVerifier({ clientId: 'shop', publicKey });
const server = createServer((request, response) => {
  void request.toArray().then(async (chunks) => {
    const body = Buffer.concat(chunks);
    const { method = '', url = '', rawHeaders } = request;
    const verdict = await verify({ method, url: origin + url, headers: rawHeaders, body });
    response.writeHead(verdict.ok ? 200 : 401, { 'Content-Type': 'application/problem+json' });
    const type = `${origin}/docs/errors#${verdict.ok ? '' : verdict.code}`;
    response.end(JSON.stringify(verdict.ok ? { bytes: body.length } : { type, ...verdict }));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const address = server.address();
const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

const signer = createRequestSigner({ clientId: 'shop', privateKey });
const fetch = signingFetch(signer);
const statuses = [];
for (const url of [`${origin}/v1/payments?a=1`, `${origin}/v1/payments?a=1`])
  statuses.push((await fetch(url, { method: 'POST', body: '{}' })).status);
const response = await signingRequest(signer)(`${origin}/v1/payments`, { method: 'PUT', body: 'text' });
statuses.push(response.statusCode);
response.resume();
const stranger = signingFetch({ clientId: 'stranger', privateKey });
const refused = await stranger(`${origin}/`).catch((/** @type {unknown} */ error) => {
  const { name, code } = /** @type {{ name: string, code: string }} */ (error);
  return `${name} ${code}`;
});
server.closeAllConnections();
server.close();
console.log(JSON.stringify({ statuses, refused }));
