import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser, Locator, Page } from 'playwright-core';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { KeyboardUser } from './keyboard.ts';
import { layoutShift, shiftMax } from './layout-shift.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { resize, showIn, signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

const hourMs = 3_600_000;

describe('the histogram of requests', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let ada: Visitor;
  let page: Page;

  before(async () => {
    service = await startLivedInService(1);
    browser = await openBrowser();
    ada = await visit(browser, service.origin, { width: 1440, height: 900 });
    ({ page } = ada);
    await signIn(ada, 'ada@northwind.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const histogram = (): Locator => page.getByRole('slider', { name: requests.histogram });
  const words = async (): Promise<string> => (await histogram().getAttribute('aria-valuetext')) ?? '';
  const clear = (): Locator => page.getByRole('button', { name: requests.clearTimeRange });
  const query = (): URLSearchParams => new URL(page.url()).searchParams;

  async function open(path = ''): Promise<void> {
    await page.goto(`/portal/logs/requests${path}`);
    await page.locator('main tbody tr').first().waitFor();
    await waitUntil(async () => /accepted/.test(await words()), 'the counts of the histogram');
  }

  /** The middle of a bar, in pixels of the page. */
  async function placeOf(index: number): Promise<readonly [number, number]> {
    const { x, y, width } = (await histogram().boundingBox())!;
    const count = Number(await histogram().getAttribute('aria-valuemax')) + 1;
    return [x + ((index + 0.5) / count) * width, y + 16];
  }

  /** The whole hours that the address has, and that the list was asked for. */
  async function hoursInAddress(): Promise<number> {
    await page.waitForURL(/period=custom/);
    const [from, to] = ['from', 'to'].map((name) => Date.parse(query().get(name)!));
    assert.deepEqual([from! % hourMs, to! % hourMs], [0, 0]);
    return (to! - from!) / hourMs;
  }

  /** Waits until the list shows as many requests as the histogram counts in the chosen hours. */
  async function listHasItsCount(): Promise<void> {
    await clear().waitFor();
    const counts = /: ([\d,]+) accepted, ([\d,]+) rejected/;
    await waitUntil(async () => counts.test(await words()), 'the counts of the histogram');
    const [, accepted, rejected] = counts.exec(await words())!;
    const count = Number(accepted) + Number(rejected);
    await page
      .getByText(new RegExp(`^${count} requests?: ${accepted} accepted, ${rejected} rejected`))
      .waitFor();
  }

  it('says so when the requests cannot be counted, and leaves the list as it is', async () => {
    await page.route('**/v1/request-statistics*', (route) => route.fulfill({ status: 500 }));
    await page.goto('/portal/logs/requests');
    await page.locator('main tbody tr').first().waitFor();
    await page.getByText(requests.histogramFailed).waitFor();
    await histogram().press('ArrowLeft');
    await histogram().press('Enter');
    assert.equal(query().get('period'), null);
    await page.unroute('**/v1/request-statistics*');
  });

  it('tells mistakes of callers from failures of the service', async () => {
    await page.route('**/v1/request-statistics*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { series: { name: string; points: object[] }[] };
      const { points } = body.series[0]!;
      const refused = points.map((point) => ({ ...point, accepted: 0, refused: 2 }));
      body.series = ['digest_mismatch', 'internal_error'].map((name) => ({ name, points: refused }));
      await route.fulfill({ response, json: body });
    });
    await open();
    const colours = await histogram()
      .locator('g')
      .first()
      .locator('rect')
      .evaluateAll((all) => all.slice(1).map((one) => getComputedStyle(one).fill));
    assert.deepEqual(colours, ['rgb(189, 130, 21)', 'rgb(217, 68, 63)']);
    assert.match(await words(), /: 0 accepted, \d+ rejected, \d+ failed in the service$/);
    await page.unroute('**/v1/request-statistics*');
  });

  it('filters the list by the bars that are dragged over, until its chip is removed', async () => {
    await open('?period=7d');
    const last = Number(await histogram().getAttribute('aria-valuemax'));
    assert.equal(last + 1, 7 * 24 + 1, 'a bar for each hour that seven days touch');
    await page.mouse.move(...(await placeOf(last - 9)));
    await page.mouse.down();
    await page.mouse.move(...(await placeOf(last - 5)));
    await page.mouse.move(...(await placeOf(last - 1)));
    await page.mouse.up();
    assert.equal(await hoursInAddress(), 9);
    await listHasItsCount();
    const [from, to] = ['from', 'to'].map((name) => Date.parse(query().get(name)!));
    const times = await page
      .locator('main tbody time')
      .evaluateAll((all) => all.map((time) => Date.parse(time.getAttribute('datetime')!)));
    assert.ok(times.length > 0 && times.every((time) => time >= from! && time < to!));
    await clear().click();
    await page.waitForURL(/requests\?period=7d$/);
    await page.waitForFunction(
      (id) => document.activeElement?.id === id,
      await histogram().getAttribute('id'),
    );
  });

  it('filters by one bar with a click, and shows it among the hours around it', async () => {
    await open();
    const shown = await words();
    await page.mouse.click(...(await placeOf(5)));
    assert.equal(await hoursInAddress(), 1);
    await listHasItsCount();
    // The neighbours stay where they were, for the next click.
    assert.equal(await histogram().locator('g').count(), 25);
    assert.equal(await histogram().locator('g[data-faded]').count(), 24);
    await page.mouse.click(...(await placeOf(6)));
    await waitUntil(async () => (await words()) !== shown && (await hoursInAddress()) === 1, 'the next bar');
    // A copy of the address shows the same hour.
    await page.reload();
    await listHasItsCount();
    assert.equal(await histogram().locator('g[data-faded]').count(), 23);
  });

  it('can be used by keyboard alone, and says what is marked and chosen', async () => {
    await open();
    const keyboard = new KeyboardUser(page);
    await keyboard.tabTo(/^slider: Requests over time/);
    const all = await words();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft'])
      await page.keyboard.press(key);
    assert.equal(await histogram().locator('g[data-marked]').count(), 3);
    assert.notEqual(await words(), all);
    await page.keyboard.press('Escape');
    assert.equal(await words(), all);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    assert.equal(await hoursInAddress(), 2);
    await page.getByRole('status').getByText('Showing requests of ').waitFor();
    await listHasItsCount();
    await keyboard.press(new RegExp(`^button: ${requests.clearTimeRange}`));
    await page.waitForURL(/requests$/);
    await keyboard.comesTo(/^slider: Requests over time/);
    assert.deepEqual(keyboard.unseen, []);
  });

  it('counts what the other filters leave, and says which of them it cannot count', async () => {
    await open('?outcome=digest_mismatch');
    assert.match(await words(), /: 0 accepted, [1-9]\d* rejected$/);
    await open('?outcome=accepted');
    assert.match(await words(), /: [1-9]\d* accepted, 0 rejected$/);
    assert.equal(await page.getByText(requests.histogramWithout).count(), 0);
    await open('?status=4xx');
    await page.getByText(requests.histogramWithout).waitFor();
  });

  it('keeps its place while it loads, is accessible, and fits the narrowest phone', async (t) => {
    for (const width of [1440, 390, 320]) {
      await resize(page, width);
      await open();
      const shift = await layoutShift(page);
      t.diagnostic(`the layout shifted by ${shift.toFixed(3)} at ${width} px`);
      assert.ok(shift < shiftMax, `the layout shifted by ${shift} at ${width} px`);
      assert.deepEqual(await stickingOut(page), []);
    }
    await open('?period=custom&from=2026-01-01T00:00:00Z');
    await clear().waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await resize(page, 1440);
    await histogram().press('Home');
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      assert.deepEqual(await accessibilityFaults(page), []);
    }
    assert.deepEqual(ada.complaints, []);
  });
});
