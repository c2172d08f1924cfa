import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser, Page } from 'playwright-core';
import { newId } from '@countersign/contract';
import { databaseFileName } from '../../packages/server/src/registry/local-registry.ts';
import {
  insertRequestRecords,
  type RequestRow,
} from '../../packages/server/src/request-log/records/request-inserts.ts';
import { openDatabase } from '../../packages/server/src/storage/database.ts';
import type { Database } from '../../packages/server/src/storage/transaction.ts';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import type { PortalSession } from './portal-session.ts';
import {
  addCustomer,
  invite,
  password,
  type PortalService,
  setUpOperator,
  startPortalService,
} from './scene.ts';
import { openOverview, signIn } from './showing.ts';

const attack = `"><img src=x onerror=alert(1)>' or 1=1 -- %_\\`;

describe('the search of the portal', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let database: Database;
  let owner: PortalSession;
  let ada: Visitor;
  let vera: Visitor;
  let page: Page;
  let clientId = '';
  let otherClientId = '';
  let foreignId = '';
  let rows: readonly RequestRow[] = [];

  before(async () => {
    service = await startPortalService();
    const operator = await setUpOperator(service);
    owner = await addCustomer(service, operator, 'Northwind', {
      name: 'Ada Lindqvist',
      email: 'ada@northwind.example',
    });
    const stranger = await addCustomer(service, operator, 'Contoso', {
      name: 'Carl Contoso',
      email: 'carl@contoso.example',
    });
    await invite(service, owner, { name: 'Vera Viewer', email: 'vera@northwind.example', role: 'viewer' });
    const add = async (session: PortalSession, name: string): Promise<string> => {
      const networkWhitelist = [{ entry: '203.0.113.0/24' }];
      const body = { name, networkWhitelist, publicKey: makeKeyPair().publicKey };
      return (await session.send<{ clientId: string }>('POST', '/v1/clients', body)).clientId;
    };
    clientId = await add(owner, 'Payment service');
    otherClientId = await add(owner, 'Reporting');
    const foreignClientId = await add(stranger, 'Payment service of Contoso');
    database = await openDatabase({ file: join(service.dataFolder, databaseFileName) });
    rows = Array.from({ length: 40 }, (_, index) => row(index));
    const foreign = { ...row(0), account_id: stranger.accountId ?? '', client_id: foreignClientId };
    foreignId = foreign.request_id;
    await insertRequestRecords(database, [...rows, foreign]);
    browser = await openBrowser();
    ada = await visit(browser, service.origin);
    vera = await visit(browser, service.origin);
    await signIn(ada, 'ada@northwind.example');
    await signIn(vera, 'vera@northwind.example');
    ({ page } = ada);
  });

  after(async () => {
    await browser?.close();
    await database?.destroy();
    await service?.close();
  });

  /** The first is the newest. Every tenth is rejected, and the last ones are two weeks old. */
  function row(index: number): RequestRow {
    const receivedAtMs = Date.now() - (index < 35 ? 60_000 * (index + 1) : 14 * 86_400_000 + index);
    const isRefused = index % 10 === 3;
    return {
      request_id: newId('request', receivedAtMs),
      received_at_ms: receivedAtMs,
      account_id: owner.accountId ?? '',
      client_id: index % 2 === 0 ? clientId : otherClientId,
      is_proved: isRefused ? 0 : 1,
      outcome: isRefused ? 'signature_invalid' : 'accepted',
      is_observed: 0,
      reason: isRefused ? 'The signature does not verify' : null,
      method: index % 4 === 0 ? 'POST' : 'GET',
      url:
        index === 7
          ? `/v1/${encodeURIComponent(attack)}`
          : index % 3 === 0
            ? '/v1/payments?limit'
            : '/v1/whoami',
      status: isRefused ? 401 : 200,
      source_address: index % 5 === 0 ? '203.0.113.7' : '2001:db8::1',
      key_fingerprint: null,
      clock_difference_seconds: 0,
      duration_us: 1000 * ((index * 7) % 40),
    };
  }

  const table = (): ReturnType<Page['getByRole']> => page.getByRole('table', { name: 'All requests' });
  const field = (): ReturnType<Page['getByRole']> => page.getByRole('searchbox', { name: 'Search requests' });
  /** Waits until the list shows this number of requests. */
  const total = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  async function search(text: string, sum: string | RegExp): Promise<void> {
    await field().fill(text);
    await total(sum);
  }

  it('says what is wrong with a text, and searches for nothing meanwhile', async () => {
    await page.goto('/portal/logs/requests');
    await total('35 requests: 31 accepted, 4 rejected');
    const sentBefore = ada.sent.length;
    await field().fill('status:teapot');
    await page.getByText('Status takes a number such as 401, or a class such as 4xx.').waitFor();
    assert.equal(await field().getAttribute('aria-invalid'), 'true');
    await field().fill('client:"Acme');
    await page.getByText('A quotation mark has no end.').waitFor();
    assert.deepEqual(
      ada.sent.slice(sentBefore).filter((request) => request.includes('search=')),
      [],
    );
    assert.ok(!page.url().includes('search='));
  });

  it('understands what is typed, and counts what it finds', async () => {
    await search('401', '4 requests: 0 accepted, 4 rejected');
    await page.getByText(/Finds requests with\s*status 401/).waitFor();
    await search('203.0.113.7 POST', '2 requests: 2 accepted, 0 rejected');
    await search('/v1/pay payment status:2xx', /^\d+ requests?: \d+ accepted, 0 rejected$/);
    await page.getByText('path /v1/pay').waitFor();
    await search('client:report', /^17 requests/);
    await search('nothing-like-this', '0 requests: 0 accepted, 0 rejected');
    await page.getByText('No requests match these filters').waitFor();
    await search(encodeURIComponent(attack).slice(0, 40), /^1 request:/);
    await search(attack.slice(1), '0 requests: 0 accepted, 0 rejected');
    assert.deepEqual(ada.complaints, []);
  });

  it('finds a request by its ID, however old, and never one of another account', async () => {
    const old = rows[38]?.request_id ?? '';
    await search(old, '1 request: 1 accepted, 0 rejected');
    // The list is loaded separately from the number: the header row, the request's row, and no other rows remain.
    await table().getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.equal(await table().getByRole('row').count(), 2);
    await search(foreignId, '0 requests: 0 accepted, 0 rejected');
    await page.goto(`/portal/logs/requests?request=${foreignId}`);
    await page.getByText('Request not found').waitFor();
  });

  it('shows status, duration and the exact time of each, with UTC in its title', async () => {
    await page.goto(`/portal/logs/requests?search=${rows[3]?.request_id}`);
    const line = table().getByRole('row').nth(1);
    await line.getByText('401').waitFor();
    await line.getByText('21 ms').waitFor();
    const time = line.locator('time');
    const at = new Date(rows[3]?.received_at_ms ?? 0).toISOString();
    assert.equal(await time.getAttribute('title'), `${at.replace('T', ' ').replace('Z', '')} UTC`);
    assert.match(await time.innerText(), /\d{2}:\d{2}:\d{2} \S+\s+\d+ minutes? ago/);
  });

  it('sorts by a column, which its header and the address tell', async () => {
    await page.goto('/portal/logs/requests');
    const header = table().getByRole('columnheader', { name: 'Duration' });
    assert.equal(await header.getAttribute('aria-sort'), null);
    await header.getByRole('button').click();
    await page.waitForURL(/sort=-durationMs/);
    const first = (): ReturnType<Page['getByRole']> => table().getByRole('row').nth(1);
    const longest = Math.max(...rows.slice(0, 35).map(({ duration_us: us }) => (us ?? 0) / 1000));
    await first().getByText(`${longest} ms`, { exact: true }).waitFor();
    assert.equal(await header.getAttribute('aria-sort'), 'descending');
    await header.getByRole('button').press('Enter');
    await first().getByText('0 ms', { exact: true }).waitFor();
    assert.equal(await header.getAttribute('aria-sort'), 'ascending');
    // The next page continues in the same order.
    await page.getByRole('button', { name: 'Show more' }).click();
    await table().getByText(`${longest} ms`, { exact: true }).waitFor();
    const texts = await table().locator('tbody tr').allInnerTexts();
    const durations = texts.map((text) => Number(/(\d+) ms/.exec(text)?.[1]));
    assert.equal(durations.length, 35);
    assert.deepEqual(
      durations,
      durations.toSorted((one, other) => one - other),
    );
  });

  it('a link keeps filters, order and the opened request, also through the sign-in', async () => {
    const requestId = rows[3]?.request_id ?? '';
    const link = `/portal/logs/requests?status=4xx&search=${encodeURIComponent('client:report 401')}&sort=-durationMs&request=${requestId}`;
    const guest = await visit(browser, service.origin);
    await guest.page.goto(link);
    await guest.page.getByLabel('Email').fill('vera@northwind.example');
    await guest.page.getByLabel('Password', { exact: true }).fill(password);
    await guest.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await guest.page.getByRole('region', { name: 'Request', exact: true }).getByText(requestId).waitFor();
    const address = new URL(guest.page.url());
    assert.equal(address.searchParams.get('search'), 'client:report 401');
    assert.equal(address.searchParams.get('sort'), '-durationMs');
    assert.equal(address.searchParams.get('request'), requestId);
    await guest.context.close();
  });

  it('is watched live, can be paused, and counts what came meanwhile', async () => {
    await page.goto('/portal/logs/requests?search=%2Fv1%2Flive');
    await total('0 requests: 0 accepted, 0 rejected');
    const come = async (url: string): Promise<void> =>
      insertRequestRecords(database, [
        { ...row(0), request_id: newId('request'), received_at_ms: Date.now(), url },
      ]);
    // The count is late, so that it includes a request that is also announced.
    const announced = Promise.withResolvers<void>();
    const delayed = Promise.withResolvers<void>();
    await page.route(
      /request-totals/,
      async (route) => {
        await announced.promise;
        // The page may have aborted it meanwhile, to count again.
        await route.continue().catch(() => undefined);
        delayed.resolve();
      },
      { times: 1 },
    );
    const counted = page.waitForResponse(/request-totals/);
    await page.getByRole('button', { name: 'Watch live' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await come('/v1/elsewhere');
    await come('/v1/live/1');
    await table().getByText('/v1/live/1').waitFor();
    announced.resolve();
    await (await counted).finished();
    await delayed.promise;
    await total('1 request: 1 accepted, 0 rejected');
    await page.getByRole('button', { name: 'Pause' }).click();
    // Requests that arrive before the page has drawn this are still on top of the list.
    await page.getByRole('button', { name: 'Watch live' }).waitFor();
    await come('/v1/live/2');
    await page.getByRole('button', { name: 'Show 1 new request' }).waitFor();
    assert.equal(await table().getByText('/v1/live/2').count(), 0);
    await page.getByRole('button', { name: 'Watch live' }).click();
    await table().getByText('/v1/live/2').waitFor();
    assert.equal(await table().getByText('/v1/elsewhere').count(), 0);
  });

  it('counts no request as new that it shows already, and those that came while it heard nothing', async () => {
    const streams = new EventEmitter();
    await page.route(/\/v1\/events/, async (route) => {
      const [text] = (await once(streams, 'send')) as [string];
      await route.fulfill({ contentType: 'text/event-stream', body: `retry: 1\n\n${text}` });
    });
    const send = async (text: string): Promise<void> => {
      await waitUntil(() => Promise.resolve(streams.listenerCount('send') > 0), 'a page that listens');
      streams.emit('send', text);
    };
    const come = async (url: string): Promise<string> => {
      const entry = { ...row(0), request_id: newId('request'), received_at_ms: Date.now(), url };
      await insertRequestRecords(database, [entry]);
      const { data } = await owner.send<{ data: readonly { url: string }[] }>('GET', '/v1/requests?limit=5');
      return `event: request\ndata: ${JSON.stringify(data.find((one) => one.url === url))}\n\n`;
    };
    const shown = await come('/v1/steady/1');
    await page.goto('/portal/logs/requests?search=%2Fv1%2Fsteady');
    await table().getByText('/v1/steady/1').waitFor();
    const announced = await come('/v1/steady/2');
    await send(shown + announced + announced);
    await page.getByRole('button', { name: 'Show 1 new request' }).waitFor();
    await come('/v1/steady/3');
    await come('/v1/elsewhere');
    // The stream was lost and is open again.
    await send('event: ping\ndata: {}\n\n');
    await page.getByRole('button', { name: 'Show 2 new requests' }).click();
    await table().getByText('/v1/steady/3').waitFor();
    assert.equal(await table().getByText('/v1/steady/').count(), 3);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('copies a request as a link, as commands and as a test case', async () => {
    const requestId = rows[7]?.request_id ?? '';
    await page.goto(`/portal/logs/requests?request=${requestId}`);
    const dialog = page.getByRole('region', { name: 'Request', exact: true });
    const copied = async (name: string): Promise<string> => {
      await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
      await page.getByRole('menu').waitFor({ state: 'detached' });
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.equal(await copied('Link to this request'), page.url());
    const url = `${service.origin}${rows[7]?.url.replaceAll("'", String.raw`'\''`)}`;
    assert.equal(await copied('countersign command'), `countersign request GET '${url}'`);
    assert.equal(await copied('curl command'), `curl -i -X GET '${url}'`);
    const archive = JSON.parse(await copied('Test case (HAR)')) as {
      log: { entries: readonly { request: { url: string } }[] };
    };
    assert.equal(archive.log.entries[0]?.request.url, `${service.origin}${rows[7]?.url}`);
  });

  it('opens on Ctrl-K, and gives the focus back', async () => {
    await page.clock.install();
    await page.goto('/portal/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const button = page.getByRole('button', { name: /^Search/ });
    await button.focus();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Search the portal' });
    await input.waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.textContent.startsWith('Search') === true);
  });

  it('finds pages, clients and requests by the keyboard alone, and remembers what was opened', async () => {
    const sentBefore = ada.sent.length;
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Search the portal' });
    await input.waitFor();
    // However slow the machine, this person types without a pause.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
    await input.pressSequentially('Payment');
    await page.clock.resume();
    const option = page.getByRole('option', { name: /Payment service/ });
    await option.waitFor();
    // One request for the whole word, not one for each key.
    const searches = ada.sent.slice(sentBefore).filter((request) => request.includes('/v1/clients?search='));
    assert.equal(searches.length, 1);
    assert.equal(await page.getByRole('option', { name: /Contoso/ }).count(), 0);
    await page.getByRole('option', { name: 'Search requests for “Payment”' }).waitFor();
    assert.equal(await option.getAttribute('aria-selected'), 'true');
    assert.equal(await input.getAttribute('aria-activedescendant'), await option.getAttribute('id'));
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press('ArrowDown');
    assert.equal(await option.getAttribute('aria-selected'), 'false');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Payment service' }).waitFor();

    await page.keyboard.press('Control+k');
    await page
      .getByRole('group', { name: 'Recent' })
      .getByRole('option', { name: /Payment service/ })
      .waitFor();
    await input.fill('audit');
    await page.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();

    await page.keyboard.press('Control+k');
    await input.fill('network whitelist');
    await page.getByRole('group', { name: 'Documentation' }).getByRole('option').first().click();
    await page.waitForURL(/\/portal\/docs\//);

    await page.keyboard.press('Control+k');
    await input.fill('203.0.113.9');
    await page.getByRole('option', { name: /Reporting/ }).waitFor();
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await input.fill(rows[3]?.request_id ?? '');
    await page.getByRole('option', { name: /GET \/v1\/payments/ }).click();
    await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
  });

  it('finds nothing of others, shows attacks as texts, and offers a viewer what a viewer may read', async () => {
    const { page: verasPage } = vera;
    await openOverview(vera);
    await verasPage.keyboard.press('Control+k');
    const input = verasPage.getByRole('combobox', { name: 'Search the portal' });
    await input.fill(foreignId);
    await verasPage.getByRole('option', { name: /^Search requests for/ }).waitFor();
    assert.equal(await verasPage.getByRole('group', { name: 'Clients' }).count(), 0);
    await input.fill(attack);
    await verasPage.getByRole('option', { name: `Search requests for “${attack}”` }).waitFor();
    await input.fill('accounts');
    await verasPage.getByRole('option', { name: 'Search requests for “accounts”' }).waitFor();
    assert.equal(await verasPage.getByRole('group', { name: 'Pages' }).count(), 0);
    await input.fill('zzz no client');
    await verasPage.getByRole('option', { name: 'Search requests for “zzz no client”' }).waitFor();
    assert.deepEqual(vera.complaints, []);
    await verasPage.goto('/portal/logs/requests?search=401');
    await verasPage.getByText('4 requests: 0 accepted, 4 rejected').waitFor();
  });
});
