import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Locator, Page } from 'playwright-core';
import { RequestFigures } from '../../packages/server/src/registry/request-figures.ts';
import { timeClassOf } from '../../packages/server/src/registry/time-classes.ts';
import { skipWithoutBrowser } from './browser.ts';
import { changeDatabase } from './change-database.ts';
import { layoutShift, shiftMax } from './layout-shift.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';

const hourMs = 3_600_000;

describe('the overview of an account', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let owner: Awaited<ReturnType<typeof openNorthwind>>['owner'];

  before(async () => {
    ({ service, browser, page, owner } = await openNorthwind());
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  function figure(label: string): Locator {
    return page
      .locator('dl > div')
      .filter({ has: page.getByRole('term').filter({ hasText: label }) })
      .first();
  }

  it('lists all steps of a new account, and cannot be rid of them', async () => {
    await page.goto('/portal/');
    const steps = page.getByRole('region', { name: 'Get started' });
    await steps.waitFor();
    assert.equal(await steps.getByRole('listitem').count(), 5);
    assert.equal(await steps.getByRole('button', { name: 'Dismiss' }).count(), 0);
    await figure('Success rate').getByText('–', { exact: true }).waitFor();
  });

  it('shows only the next step once there is a client, and the others on request', async () => {
    await owner.send('POST', '/v1/clients', {
      name: 'Shop',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey: makeKeyPair().publicKey,
    });
    await page.reload();
    const steps = page.getByRole('region', { name: 'Get started' });
    await steps.getByText('Next:').waitFor();
    assert.equal(await steps.getByRole('listitem').count(), 0);
    await steps.getByRole('button', { name: 'Show all steps' }).click();
    assert.equal(await steps.getByRole('listitem').count(), 5);
    await steps.getByRole('button', { name: 'Show the next step only' }).click();
    assert.equal(await steps.getByRole('listitem').count(), 0);
  });

  it('compares the hours that are over with those before', async () => {
    // In the middle of each stretch, so that it stays there while the test runs.
    await addCounts(service, 10, { accepted: 90, signature_invalid: 10 });
    await addCounts(service, 34, { accepted: 192, signature_invalid: 8 });
    await page.reload();
    await figure('Requests').getByText('100', { exact: true }).waitFor();
    await figure('Requests').getByText('−50% against the period before').waitFor();
    await figure('Success rate').getByText('90%', { exact: true }).waitFor();
    await figure('Success rate').getByText('−6 points against the period before').waitFor();
    await figure('Rejected').getByText('+25% against the period before').waitFor();
    await figure('Keys due for rotation').getByText('None is due').waitFor();
    await figure('Own time, p50').getByText('–', { exact: true }).waitFor();
  });

  it("compares the service's own time with that of the period before", async () => {
    await addTimes(service, 10, { 4: 90, 60: 10 });
    await addTimes(service, 34, { 8: 100 });
    await page.reload();
    await figure('Own time, p50')
      .getByText(/^3\.\d ms$|^4(\.\d)? ms$/)
      .waitFor();
    await figure('Own time, p50')
      .getByText(/^−(4|5)\d% against the period before$/)
      .waitFor();
    await figure('Own time, p95')
      .getByText(/^(5|6)\d(\.\d)? ms$/)
      .waitFor();
    await figure('Own time, p95').getByRole('link').click();
    await page.getByRole('heading', { name: 'Analytics', level: 1 }).waitFor();
    await page.goBack();
  });

  it('keeps the time range in the address', async () => {
    const ranges = page.getByRole('radiogroup', { name: 'Time range' });
    await ranges.getByText('7 days').click();
    await page.getByRole('img', { name: /^Requests in the last 7 days: / }).waitFor();
    await page.reload();
    await page.getByRole('img', { name: /^Requests in the last 7 days: / }).waitFor();
    assert.equal(new URL(page.url()).search, '?range=7d');
    assert.ok(await ranges.getByRole('radio', { name: '7 days' }).isChecked());
    await ranges.getByText('24 hours').click();
    await page.getByRole('img', { name: /^Requests in the last 24 hours: / }).waitFor();
    assert.equal(new URL(page.url()).search, '');
  });

  it('tells what is wrong without scrolling, and moves nothing while it loads', async () => {
    await page.reload();
    const failures = page.getByRole('region', { name: 'Latest failures' });
    await failures.getByText('No requests failed in the last 24 hours.').waitFor();
    await page.getByRole('img', { name: /^Requests in the last 24 hours: / }).waitFor();
    const { y } = (await failures.boundingBox())!;
    assert.ok(y < 700, `the failures begin at ${y} px`);
    const shift = await layoutShift(page);
    assert.ok(shift < shiftMax, `layout shift ${shift}`);
  });

  it('stays dismissed after a reload', async () => {
    const steps = page.getByRole('region', { name: 'Get started' });
    await steps.getByRole('button', { name: 'Dismiss' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('img', { name: /^Requests in the last 24 hours: / }).waitFor();
    assert.equal(await steps.count(), 0);
  });
});

/** Adds counts of all clients together to an hour of the only account of a customer. */
async function addCounts(
  service: PortalService,
  hoursAgo: number,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const startsAtMs = Math.floor(Date.now() / hourMs) * hourMs - hoursAgo * hourMs;
  await changeDatabase(service, (database) => {
    const add = database.prepare(
      `INSERT INTO request_counts (account_id, span, starts_at_ms, client_id, key_id, outcome, count, observed_count)
       SELECT DISTINCT account_id, 'hour', ?, '', '', ?, ?, 0 FROM clients`,
    );
    for (const [outcome, count] of Object.entries(counts)) add.run(startsAtMs, outcome, count);
  });
}

/** Adds numbers of requests by their time in milliseconds. */
async function addTimes(
  service: PortalService,
  hoursAgo: number,
  counts: Readonly<Record<number, number>>,
): Promise<void> {
  const startsAtMs = Math.floor(Date.now() / hourMs) * hourMs - hoursAgo * hourMs;
  const figures = new RequestFigures();
  for (const [timeMs, count] of Object.entries(counts)) figures.addTime(timeClassOf(Number(timeMs)), count);
  await changeDatabase(service, (database) => {
    database
      .prepare(
        `INSERT INTO request_figures (account_id, span, starts_at_ms, client_id, figures)
         SELECT DISTINCT account_id, 'hour', ?, '', ? FROM clients`,
      )
      .run(startsAtMs, figures.toText());
  });
}
