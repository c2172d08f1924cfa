import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type ModulePages, skipWithoutBrowser, startModulePages } from '../../signature/test/module-pages.ts';
import { createTestVerifier, type RequestToVerify } from '../src/testing.ts';
import { clientId, privateKeyPem, publicKeyPem } from './keys.ts';

describe('the client in Chromium', { skip: skipWithoutBrowser }, () => {
  let pages: ModulePages;
  let api: Server;
  let apiOrigin: string;
  let page: Page;
  const received: (RequestToVerify & { readonly body: Buffer })[] = [];

  before(async () => {
    pages = await startModulePages();
    page = await pages.open();
    api = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = {
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Headers': '*',
          'Access-Control-Allow-Methods': '*',
        };
        const { method = '', url = '', rawHeaders } = request;
        if (method === 'OPTIONS') response.writeHead(204, headers).end();
        else if (url === '/redirected') response.writeHead(302, { ...headers, Location: '/' }).end();
        else {
          received.push({ method, url: apiOrigin + url, headers: rawHeaders, body: Buffer.concat(chunks) });
          response.writeHead(200, headers).end('answer');
        }
      });
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    apiOrigin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  });
  after(async () => {
    await pages?.close();
    api?.closeAllConnections();
    await new Promise((resolve) => api?.close(resolve));
  });

  const inPage = async (body: string, ...given: unknown[]): Promise<unknown> => {
    const code = `(async (apiOrigin, ...given) => {
      const { createRequestSigner, signingFetch } = await import('@countersign/client');
      const { deleteStoredKey, openStoredKey, replaceStoredKey } = await import('@countersign/client/indexed-db');
      ${body}
    })(...${JSON.stringify([apiOrigin, ...given])})`;
    return page.evaluate(code);
  };

  it('signs what its fetch sends: text, a form, a relative URL, a Request', async () => {
    received.length = 0;
    const answers = await inPage(
      `const [clientId, privateKey] = given;
       const fetch = signingFetch({ clientId, privateKey, coverDate: false });
       const form = new FormData();
       form.set('file', new Blob(['bytes ü']), 'a.txt');
       const sent = [
         fetch(apiOrigin + '/a?q=ü#b', { method: 'post', body: '{}' }),
         fetch(apiOrigin + '/form', { method: 'PUT', body: form }),
         fetch(new Request(apiOrigin + '/request', { method: 'DELETE' })),
         fetch(new URL(apiOrigin + '/equal')),
         fetch(new URL(apiOrigin + '/equal')),
       ];
       return Promise.all(sent.map(async (one) => (await one).text()));`,
      clientId,
      privateKeyPem,
    );
    assert.deepEqual(
      answers,
      Array.from({ length: 5 }, () => 'answer'),
    );
    const verify = createTestVerifier({ clientId, publicKey: publicKeyPem, acceptWithoutDate: true });
    for (const one of received) assert.deepEqual(await verify(one), { ok: true }, one.url);
    assert.equal(received.length, 5);
  });

  it('keeps a key that nobody can read in IndexedDB', async () => {
    received.length = 0;
    const [first, again, other, replaced, exported] = (await inPage(
      `const [one, two] = await Promise.all([openStoredKey('shop'), openStoredKey('shop')]);
       const three = await openStoredKey('other');
       const fetch = signingFetch({ clientId: given[0], privateKey: one, coverDate: false });
       await fetch(apiOrigin + '/stored');
       const database = await new Promise((resolve) => {
         const request = indexedDB.open('countersign');
         request.onsuccess = () => resolve(request.result);
       });
       const pair = await new Promise((resolve) => {
         const request = database.transaction('keys').objectStore('keys').get('shop');
         request.onsuccess = () => resolve(request.result);
       });
       database.close();
       const exported = await crypto.subtle.exportKey('pkcs8', pair.privateKey).then(() => 'readable', (error) => error.name);
       const publics = await Promise.all([one, two, three].map((key) => key.publicKey()));
       const four = await replaceStoredKey('shop');
       await deleteStoredKey('other');
       return [...publics, await four.publicKey(), exported];`,
      clientId,
    )) as [string, string, string, string, string];
    assert.equal(first, again);
    assert.equal(new Set([first, other, replaced]).size, 3);
    assert.equal(exported, 'InvalidAccessError');
    const verify = createTestVerifier({ clientId, publicKey: first, acceptWithoutDate: true });
    assert.deepEqual(await verify(received[0]!), { ok: true });
  });

  it('says that pages cannot set Date, and that they do not see where a redirect leads', async () => {
    const messages = (await inPage(
      `const [clientId, privateKey] = given;
       const messageOf = (sent) => sent.then(() => 'sent', (error) => error.code + ' ' + error.message);
       const dated = signingFetch({ clientId, privateKey });
       const undated = signingFetch({ clientId, privateKey, coverDate: false });
       return [await messageOf(dated(apiOrigin + '/')), await messageOf(undated(apiOrigin + '/redirected'))];`,
      clientId,
      privateKeyPem,
    )) as string[];
    assert.match(messages[0]!, /^request_invalid Pages cannot set the Date header.*coverDate to false/);
    assert.match(messages[1]!, /The redirect was not followed: browsers do not tell pages where to/);
  });
});
