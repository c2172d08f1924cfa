import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { AnalyticsFact } from '@countersign/contract';
import { RequestFigures } from '../../packages/server/src/registry/request-figures.ts';
import { timeClassOf } from '../../packages/server/src/registry/time-classes.ts';
import { skipWithoutBrowser } from './browser.ts';
import { changeDatabase } from './change-database.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';

const hourMs = 3_600_000;

describe('the analytics of an account', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let accountId: string;
  let clientId: string;

  before(async () => {
    const northwind = await openNorthwind();
    ({ service, browser, page } = northwind);
    const body = { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0' }] };
    accountId = northwind.owner.accountId!;
    ({ clientId } = await northwind.owner.send<{ clientId: string }>('POST', '/v1/clients', body));
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  function table(name: string): Locator {
    return page.getByRole('table', { name });
  }

  it('says what is missing while nothing was counted', async () => {
    await page.goto('/portal/logs/analytics');
    await page.getByText('No requests', { exact: true }).waitFor();
    await page.getByText('Nothing was counted in the last 24 hours.').waitFor();
  });

  it('shows the requests by every fact, and the times', async () => {
    const of = (figures: RequestFigures): void => {
      const add = (kind: AnalyticsFact, name: string, accepted: number, refused = 0): void =>
        figures.addValue(kind, name, { accepted, observed: 0, refused }, 50);
      add('operation', 'GET /v1/payments/{id}', 90, 10);
      add('operation', '', 5);
      add('status', '200', 95);
      add('status', '401', 0, 10);
      add('cause', 'signature_invalid', 0, 10);
      add('address', '203.0.113.7', 95, 10);
      for (let index = 0; index < 12; index += 1) add('key', `key_${index}`, index + 1);
      figures.addTime(timeClassOf(4), 100);
      figures.addTime(timeClassOf(50), 5);
    };
    await addFigures('', of);
    await addFigures(clientId, (figures) =>
      figures.addValue('status', '204', { accepted: 7, observed: 0, refused: 0 }, 50),
    );
    await page.reload();
    await table('Operations').getByRole('row', { name: 'GET /v1/payments/{id} 100 10' }).waitFor();
    await table('Operations').getByRole('row', { name: 'Other operations, or none 5 0' }).waitFor();
    await table('Rejections by cause').getByText('Signature invalid').waitFor();
    await page.getByRole('img', { name: /^Response times in the last 24 hours: p95 \d/ }).waitFor();
    await page.getByText('Counted since').waitFor();
    assert.equal(await table('Keys').getByRole('row').count(), 1 + 8);
    await page.getByRole('button', { name: 'Show all 12' }).click();
    assert.equal(await table('Keys').getByRole('row').count(), 1 + 12);
  });

  it('leads from each row to its requests', async () => {
    const link = table('Operations').getByRole('link');
    assert.equal(
      decodeURIComponent((await link.getAttribute('href'))!.replaceAll('+', ' ')),
      '/portal/logs/requests?search=method:GET path:/v1/payments/',
    );
    await table('Statuses').getByRole('link', { name: '401' }).click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    assert.match(page.url(), /status=401/);
    await page.goBack();
    await table('Statuses').waitFor();
  });

  it('exports what it shows', async () => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const text = await readFile(await (await downloading).path(), 'utf8');
    assert.match(
      text,
      /^by,name,accepted,observed,refused\r\noperation,GET \/v1\/payments\/\{id\},90,0,10\r\n/,
    );
  });

  it('shows one client, as its page does', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}?tab=requests`);
    await page.getByRole('main').getByRole('link', { name: 'Analytics' }).click();
    await table('Statuses').getByRole('row', { name: '204 7 0' }).waitFor();
    assert.match(page.url(), new RegExp(`client=${clientId}`));
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/portal/logs/analytics');
    await table('Operations').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });

  async function addFigures(of: string, fill: (figures: RequestFigures) => void): Promise<void> {
    const figures = new RequestFigures();
    fill(figures);
    const startsAtMs = Math.floor(Date.now() / hourMs) * hourMs - 3 * hourMs;
    await changeDatabase(service, (database) => {
      database
        .prepare(
          `INSERT INTO request_figures (account_id, span, starts_at_ms, client_id, figures) VALUES (?, 'hour', ?, ?, ?)`,
        )
        .run(accountId, startsAtMs, of, figures.toText());
    });
  }
});
