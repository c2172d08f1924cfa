import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId, type RequestExplanation } from '@countersign/contract';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser, Locator, Page } from 'playwright-core';
import { findingTitles } from '../../packages/portal/src/messages/en/finding-titles.ts';
import { letThrough } from '../../packages/portal/src/messages/en/outcomes.ts';
import { requestPanel as t } from '../../packages/portal/src/messages/en/request-panel.ts';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { databaseFileName } from '../../packages/server/src/registry/local-registry.ts';
import { insertExplanations } from '../../packages/server/src/request-log/records/explanations.ts';
import {
  insertRequestRecords,
  type RequestRow,
} from '../../packages/server/src/request-log/records/request-inserts.ts';
import { openDatabase } from '../../packages/server/src/storage/database.ts';
import type { Database } from '../../packages/server/src/storage/transaction.ts';
import { skipWithoutBrowser, type Visitor } from './browser.ts';
import { layoutShift, shiftMax } from './layout-shift.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import type { PortalService } from './scene.ts';
import { resize, showIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

const finding = 'base_crlf';
const count = 40;

function explanationOf(code: string): string {
  const explanation: RequestExplanation = {
    verdict: 'refused',
    checks: [{ name: 'content-digest', state: 'failed', facts: {} }],
    findings: [
      {
        code,
        certainty: 'proven',
        what: 'The lines were joined by CRLF.',
        mend: 'Join them by LF.',
        evidence: { expected: 'a\nb', received: 'a\r\nb', firstDifference: 1 },
        page: '/docs/troubleshooting',
      },
    ],
    isComplete: true,
    withheldFindings: 0,
  };
  return JSON.stringify(explanation);
}

describe('a request beside the list', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let database: Database;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;
  let clientId = '';
  let ids: readonly string[] = [];

  before(async () => {
    const northwind = await openNorthwind();
    ({ service, browser, owner, ada, page } = northwind);
    ({ clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Shop',
      networkWhitelist: [{ entry: '203.0.113.0/24' }],
      publicKey: makeKeyPair().publicKey,
    }));
    database = await openDatabase({ file: join(service.dataFolder, databaseFileName) });
    const rows = Array.from({ length: count }, (_, index) => row(Date.now() - 60_000 * (index + 1), index));
    ids = rows.map((one) => one.request_id);
    await insertRequestRecords(database, rows);
    await insertExplanations(
      database,
      [1, 3].map((index) => ({
        requestId: ids[index]!,
        accountId: owner.accountId ?? '',
        explanation: explanationOf(index === 1 ? finding : 'of_next_year'),
      })),
      { perAccountMax: 100 },
    );
  });

  after(async () => {
    await browser?.close();
    await database?.destroy();
    await service?.close();
  });

  /** Every second one is rejected, the fifth by a fault of the service, and the seventh is let through. */
  function row(receivedAtMs: number, index: number): RequestRow {
    const isRejected = index % 2 === 1;
    const outcome = index === 5 ? 'internal_error' : isRejected ? 'digest_mismatch' : 'accepted';
    return {
      request_id: newId('request', receivedAtMs),
      received_at_ms: receivedAtMs,
      account_id: owner.accountId ?? '',
      client_id: clientId,
      is_proved: 1,
      outcome,
      is_observed: index === 7 ? 1 : 0,
      reason: isRejected ? 'The body differs' : null,
      method: 'POST',
      url: `/v1/payments/${index}`,
      status: index === 5 ? 500 : isRejected ? 400 : 200,
      source_address: '203.0.113.7',
      key_fingerprint: 'SHA256:abc',
      clock_difference_seconds: 0,
      duration_us: 2000,
    };
  }

  const panel = (): Locator => page.getByRole('region', { name: requests.detail, exact: true });
  const rows = (): Locator => page.locator('main tbody tr');
  const link = (index: number): Locator => rows().nth(index).getByRole('link');
  const openIndex = (): number => ids.indexOf(new URL(page.url()).searchParams.get('request') ?? '');
  const shows = (index: number): Promise<void> =>
    panel().getByText(`/v1/payments/${index}`, { exact: true }).waitFor();
  const hasFocus = (one: Locator): Promise<boolean> =>
    one.evaluate((element) => element === document.activeElement);
  const topOf = async (index: number): Promise<number> =>
    (await page.locator(`[data-row="${ids[index]}"]`).boundingBox())!.y;

  async function openList(query = ''): Promise<void> {
    await page.goto(`/portal/logs/requests${query}`);
    await rows().first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }

  async function openFirst(): Promise<void> {
    await openList();
    await link(0).click();
    await shows(0);
  }

  it('names the mistake in each rejected row, on one line, in the color of who made it', async () => {
    await resize(page, 1440);
    await openList();
    const badge = (index: number, text: string): Locator =>
      rows().nth(index).locator('[data-tone]', { hasText: text });
    const toneOf = (index: number, text: string): Promise<string | null> =>
      badge(index, text).getAttribute('data-tone');
    assert.equal(await toneOf(1, findingTitles.get(finding)!), 'warning');
    assert.equal(await toneOf(3, 'Body differs'), 'warning');
    assert.equal(await toneOf(5, 'Internal error'), 'danger');
    assert.equal(await toneOf(7, letThrough('Body differs')), 'neutral');
    const heights = await rows().evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.deepEqual(
      heights.filter((height) => height > 44),
      [],
    );
    assert.ok((await layoutShift(page)) < shiftMax);
  });

  it('opens from a row with its client, key and address, and leaves the list where it is', async () => {
    await openList('?period=7d');
    await page.mouse.wheel(0, 300);
    await waitUntil(async () => (await page.evaluate(() => scrollY)) === 300, 'the page scrolls');
    const top = await topOf(9);
    await link(9).click();
    await shows(9);
    assert.equal(await topOf(9), top);
    for (const text of ['Shop', clientId, 'SHA256:abc', '203.0.113.7', 'digest_mismatch'])
      await panel().getByText(text, { exact: true }).first().waitFor();
    assert.ok(await hasFocus(panel()));
    assert.equal(new URL(page.url()).searchParams.get('period'), '7d');
    assert.equal(await rows().nth(9).getByRole('link').getAttribute('aria-current'), 'true');
    const { y, height } = (await panel().boundingBox())!;
    assert.ok(y >= 0 && y + height <= 900, `${y} ${height}`);
    assert.ok((await layoutShift(page)) < shiftMax);
  });

  it('is left by Back, and by Escape, which gives the focus back to its row', async () => {
    await openFirst();
    await page.keyboard.press('j');
    await shows(1);
    await page.goBack();
    await panel().waitFor({ state: 'detached' });
    assert.ok(!page.url().includes('request='));
    await link(0).press('Enter');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await shows(2);
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await waitUntil(() => hasFocus(link(2)), 'the row has the focus');
  });

  it('moves by J and K, by its buttons, and on to what the list has not loaded yet', async () => {
    await openFirst();
    await page.keyboard.press('k');
    assert.equal(openIndex(), 0);
    assert.equal(
      await panel().getByRole('button', { name: t.previous }).getAttribute('aria-disabled'),
      'true',
    );
    await page.keyboard.press('J');
    await shows(1);
    await panel().getByRole('button', { name: t.next }).click();
    await shows(2);
    await panel().getByRole('button', { name: t.previous }).click();
    await shows(1);
    for (let index = 2; index < 25; index += 1) await page.keyboard.press('j');
    await shows(24);
    await page.keyboard.press('j');
    await shows(25);
    const { y, height } = (await page.locator(`[data-row="${ids[25]}"]`).boundingBox())!;
    assert.ok(y >= 0 && y + height <= 900, `the row is at ${y}`);
    // The links of other rows take its place, too: Back closes it.
    await link(24).click();
    await shows(24);
    await page.goBack();
    await panel().waitFor({ state: 'detached' });
  });

  it('leaves keys alone in fields and menus, and with Ctrl', async () => {
    await openFirst();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').pressSequentially('jk');
    await page.getByRole('searchbox').press('Escape');
    assert.equal(openIndex(), 0);
    await page.getByRole('searchbox').fill('');
    await page.waitForURL((url) => !url.searchParams.has('search'));
    await panel().getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+j');
    assert.equal(openIndex(), 0);
    await page.getByRole('slider', { name: requests.histogram }).press('Escape');
    assert.equal(openIndex(), 0);
  });

  it('stays while filters change, and is shared by its address', async () => {
    await openFirst();
    await page.getByRole('combobox', { name: 'Status', exact: true }).click();
    await page.getByRole('option', { name: requests.statusClasses['4xx'] }).click();
    await page.waitForURL(/status=4xx/);
    assert.equal(openIndex(), 0);
    await page.reload();
    await shows(0);
    // It is not in this list, which begins with the next key.
    await page.keyboard.press('j');
    await shows(1);
    await page.goto('/portal/logs/requests?request=request_nobody');
    await panel().getByText(requests.gone).waitFor();
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
  });

  it('has a page of its own, which leads back to the same list', async () => {
    await openList('?status=4xx');
    await link(0).click();
    await panel().getByRole('link', { name: t.openPage }).click();
    await page.getByRole('heading', { level: 1, name: requests.detail }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/portal/logs/requests/${ids[1]}`);
    await page.getByText('/v1/payments/1', { exact: true }).waitFor();
    await page.getByRole('link', { name: requests.back }).click();
    await page.waitForURL(/requests\?status=4xx$/);
  });

  it('is not moved by requests that arrive live, which are counted', async () => {
    await openList();
    await page.getByRole('button', { name: requests.watch }).click();
    await page.getByRole('button', { name: requests.pause }).waitFor();
    await page.locator(`[data-row="${ids[2]}"]`).getByRole('link').click();
    await shows(2);
    const top = await topOf(2);
    await insertRequestRecords(database, [row(Date.now(), 100), row(Date.now(), 102)]);
    const bar = page.getByRole('button', { name: /^Show \d new requests$/ });
    await bar.waitFor();
    assert.equal(await topOf(2), top);
    assert.equal(openIndex(), 2);
    assert.equal(await page.locator('tbody').getByText('/v1/payments/100').count(), 0);
    await bar.click();
    await page.locator('tbody').getByText('/v1/payments/100').waitFor();
    assert.equal(openIndex(), 2);
    await database
      .deleteFrom('request_records')
      .where('url', 'in', ['/v1/payments/100', '/v1/payments/102'])
      .execute();
  });

  it('has no faults of accessibility, light and dark, and fits from 1100 px', async () => {
    for (const width of [1100, 1440]) {
      await resize(page, width);
      await openList();
      await link(1).click();
      await shows(1);
      for (const scheme of ['light', 'dark'] as const) {
        await showIn(page, scheme);
        assert.deepEqual(await accessibilityFaults(page), [], `${width} ${scheme}`);
      }
      await showIn(page, 'light');
      assert.deepEqual(await stickingOut(page), []);
    }
    assert.deepEqual(ada.complaints, []);
  });

  it('is a page on a phone, without keys or their hints', async () => {
    await resize(page, 390);
    await openList();
    await link(0).click();
    await page.getByRole('heading', { level: 1, name: requests.detail }).waitFor();
    await page.getByText('/v1/payments/0', { exact: true }).waitFor();
    assert.equal(await page.locator('kbd').count(), 0);
    await page.keyboard.press('j');
    assert.equal(openIndex(), 0);
    await page.goBack();
    await rows().first().waitFor();
    assert.deepEqual(await stickingOut(page), []);
  });
});
