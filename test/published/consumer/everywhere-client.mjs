// A program for Bun, Deno and Node: sends requests with the entry for every runtime to a server that verifies them.
import { createServer } from 'node:http';
import { signingFetch } from '@countersign/client';
import { createTestVerifier } from '@countersign/client/testing';

const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const { privateKey, publicKey } = await crypto.subtle.generateKey(rsa, true, ['sign', 'verify']);
const spki = Buffer.from(await crypto.subtle.exportKey('spki', publicKey)).toString('base64');
const verify = createTestVerifier({ clientId: 'shop', publicKey: spki });

/** @type {string[]} */
const arrived = [];
const server = createServer((request, response) => {
  /** @type {Uint8Array[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', rawHeaders } = request;
    void verify({ method, url: origin + url, headers: rawHeaders, body: Buffer.concat(chunks) }).then(
      (verdict) => {
        arrived.push(`${method} ${url} ${verdict.ok ? 'accepted' : verdict.code}`);
        response.writeHead(url === '/from' ? 307 : 200, url === '/from' ? { Location: '/to' } : {});
        response.end('answer');
      },
    );
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const address = server.address();
const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

const fetch = signingFetch({ clientId: 'shop', privateKey });
await fetch(`${origin}/a?q=ü&b=%7e#part`);
await fetch(`${origin}/?`, { method: 'post', body: '{"a":"ü"}' });
await fetch(`${origin}/form`, { method: 'PUT', body: new URLSearchParams({ a: 'b c' }) });
await fetch(`${origin}/from`, { method: 'PATCH', body: new Uint8Array([0, 255]) });
await Promise.all([1, 2, 3].map(() => fetch(`${origin}/same`, { method: 'POST', body: 'same' })));
console.log(JSON.stringify(arrived));
server.close();
process.exit(0);
