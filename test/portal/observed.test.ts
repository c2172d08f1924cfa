import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser, Page } from 'playwright-core';
import { createSigner } from '@countersign/signature/node';
import { skipWithoutBrowser, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';

const observedTitle = 'Let through: Signature invalid';

describe('a request that a route let through', { skip: skipWithoutBrowser }, () => {
  const upstream = createServer((_request, response) => response.end('orders'));
  let service: PortalService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let clientId = '';

  before(async () => {
    const apiPort = await freePort();
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const northwind = await openNorthwind({
      COUNTERSIGN_API_PORT: String(apiPort),
      COUNTERSIGN_UPSTREAM: await listenOn(upstream),
      COUNTERSIGN_API_BASE_URLS: apiUrl,
      COUNTERSIGN_ROUTES: JSON.stringify([{ path: '/**', permission: 'shop', mode: 'observe' }]),
    });
    const { owner } = northwind;
    ({ service, browser, ada: visitor, page } = northwind);
    const client = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Shop',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey: makeKeyPair().publicKey,
    });
    ({ clientId } = client);
    assert.equal(await callWithWrongKey(apiUrl, clientId), 200);
    // The log of requests is written once a second.
    const written = (): Promise<{ data: unknown[] }> => owner.send('GET', '/v1/requests?outcome=observed');
    await waitUntil(async () => (await written()).data.length > 0, 'an observed request in the log');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
    await closeServer(upstream);
  });

  it('is not among the refused ones on the overview', async () => {
    await page.goto('/portal/');
    await page.getByText('Let through: The signature is not valid').waitFor();
    const chart = page.getByRole('img', { name: /^Requests in the last 24 hours: / });
    assert.match((await chart.getAttribute('aria-label')) ?? '', /0 .*accepted, 1 let through, 0 rejected$/);
  });

  it('is listed as let through, and not by the filter for refused ones', async () => {
    await page.goto('/portal/logs/requests?outcome=observed');
    const list = page.getByRole('table', { name: 'All requests' });
    await list.getByText(observedTitle).waitFor();
    await page.goto('/portal/logs/requests?outcome=refused');
    await page.getByText('No requests match these filters').waitFor();
  });

  it('is explained, without a claim that it was refused', async () => {
    await page.goto('/portal/logs/requests?outcome=observed');
    await page.getByRole('table', { name: 'All requests' }).getByRole('link').first().click();
    const detail = page.getByRole('region', { name: 'Request', exact: true });
    await detail.getByText('This request was let through').waitFor();
    await detail.getByRole('heading', { name: 'Why it would have been rejected' }).waitFor();
    assert.equal(await detail.getByText('Response to the caller').count(), 0);
  });

  it('is let through on the page of its client', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}?tab=requests`);
    const row = page.getByRole('row', { name: /GET \/orders/ });
    await row.getByText('Let through', { exact: true }).waitFor();
    assert.equal(await row.getByText('Rejected', { exact: true }).count(), 0);
    assert.deepEqual(visitor.complaints, []);
  });
});

/** Calls the protected API, and returns the status. */
async function callWithWrongKey(apiUrl: string, clientId: string): Promise<number> {
  const { privateKey } = makeKeyPair();
  const signed = createSigner({ keyid: clientId, privateKey }).sign({
    method: 'GET',
    url: `${apiUrl}/orders`,
  });
  return (await fetch(signed.url, { headers: { ...signed.headers } })).status;
}
