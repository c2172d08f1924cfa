import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { csvRecords } from '../../packages/portal/src/lists/export-file.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { fillWithHostileTexts, hostileClientId, payloads } from './hostile-texts.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { goTo, openVisitors, type Visitors } from './showing.ts';
import { type View, viewsOf } from './views.ts';

describe('texts of others are texts', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let visitors: Visitors;
  let shown: readonly string[];
  let seen = '';

  before(async () => {
    service = await startLivedInService(5);
    browser = await openBrowser();
    visitors = await openVisitors(browser, service);
    shown = await fillWithHostileTexts(service);
    // The pages they have loaded do not contain it yet.
    for (const { page } of Object.values(visitors)) await page.goto('about:blank');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Everything that the portal shows; pages about one client show the one with a hostile clientId. */
  function views(): readonly View[] {
    const waiting = viewsOf(service).find(({ name }) => name === 'rotate-waiting')!;
    const hostile = viewsOf({ ...service, clientIds: [hostileClientId, hostileClientId] }).map((view) => ({
      ...view,
      path: view.path.replace(hostileClientId, encodeURIComponent(hostileClientId)),
    }));
    return [
      ...hostile.map((view) => (view.name === waiting.name ? waiting : view)),
      {
        name: 'operator-profile',
        title: 'Passkeys of the operator',
        visitor: 'operator',
        path: '/settings/profile',
        shows: 'This session',
      },
    ];
  }

  it('in every view, at every width', async () => {
    const wide: string[] = [];
    for (const view of views()) {
      const where = `${view.title} (${view.path})`;
      const { page, complaints } = await goTo(visitors, view).catch((error: unknown) => {
        throw new Error(`It does not show ${where}`, { cause: error });
      });
      assert.deepEqual(await whatCameAlive(page), [], where);
      assert.deepEqual(complaints, [], where);
      seen += await page.locator('body').innerText();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const tooWide = await page.evaluate(widestPart);
        if (tooWide !== undefined) wide.push(`${where} at ${width}: ${tooWide}`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    assert.deepEqual(wide, []);
  });

  it('they are to be read as they were written', () => {
    const plain = withoutSpace(seen);
    assert.deepEqual(
      shown.filter((text) => !plain.includes(withoutSpace(text))),
      [],
    );
    assert.ok(!plain.includes('49{{7*7}}'));
  });

  it('a clientId full of signs of an address leads to its requests', async () => {
    const { page } = visitors.owner;
    await page.goto(`/portal/integrations/api-keys/${encodeURIComponent(hostileClientId)}?tab=requests`);
    await page.getByRole('link', { name: 'Open in Logs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('client'), hostileClientId);
    await page.getByRole('combobox', { name: 'Client' }).waitFor();
    await page
      .getByRole('link', { name: /v1\/payments/ })
      .first()
      .waitFor();
    assert.deepEqual(await whatCameAlive(page), []);
  });

  it('nothing that they name was asked for', () => {
    for (const { sent } of Object.values(visitors)) {
      const others = sent.filter((text) => !text.includes(` ${service.origin}/`));
      assert.deepEqual(others, []);
      assert.deepEqual(
        sent.filter((text) => /^GET \S+\/x\n/.test(text)),
        [],
      );
    }
  });

  for (const list of ['requests', 'audit-events']) {
    it(`a spreadsheet finds no formula in the exported ${list}`, async () => {
      const { page } = visitors.owner;
      const text = await page.evaluate(
        async ([path, accountId]) => {
          const headers = { 'Countersign-Account': accountId! };
          return (await fetch(`/v1/${path}?format=csv&limit=10000`, { headers })).text();
        },
        [list, service.accountId],
      );
      const cells = csvRecords(text).flatMap(cellsOf);
      assert.ok(cells.length > 100);
      assert.ok(
        cells.some((cell) => cell.includes('HYPERLINK')),
        'a formula was tried',
      );
      // Where commas are decimal, a spreadsheet begins a cell after a semicolon too.
      const pieces = cells.flatMap((cell) => cell.split(/[;\t]/));
      assert.deepEqual(
        pieces.filter((piece) => /^[=+\-@\t\r]/.test(piece) && !/^-?\d+$/.test(piece)),
        [],
      );
    });
  }

  it('names that could deceive are refused', async () => {
    for (const name of ['invoice \u202egpj.exe', 'two\nlines', '\u200b', 'Payment\u200b service', ' ', ''])
      await assert.rejects(
        service.owner.send('PATCH', '/portal/auth/profile', { name }),
        /40[0-9]|422/,
        JSON.stringify(name),
      );
    for (const label of ['invoice \u202egpj.exe', 'Office\u200b'])
      await assert.rejects(
        service.owner.send(
          'PUT',
          `/v1/clients/${service.clientIds[0]!}/network-whitelist`,
          { entries: [{ entry: '0.0.0.0', label }] },
          { 'If-Match': '*' },
        ),
        /body_invalid|label/,
      );
    for (const email of [`"${payloads.image}"@x.example`, `${payloads.vector}@x.example`, '=1+1@x.example'])
      await assert.rejects(
        service.owner.send('POST', '/v1/invitations', { email, role: 'viewer' }),
        /40[0-9]|422/,
        email,
      );
  });
});

/** What a payload has become besides text. */
async function whatCameAlive(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const alive = document.querySelectorAll(
      '[onerror], [onload], img[src="x"], :is([href], [src], [action]):is([href*="javascript:" i], [src*="javascript:" i], [action*="javascript:" i])',
    );
    return [
      ...('hasRun' in globalThis ? ['a script has run'] : []),
      ...[...alive].map(({ outerHTML }) => outerHTML.slice(0, 200)),
    ];
  });
}

/** Returns what makes the page wider than the window, if anything. Runs in the page. */
async function widestPart(): Promise<string | undefined> {
  // Elements that depend on the width are redrawn with the next two frames.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return undefined;
  const ends = [...document.querySelectorAll('body *')].map((element) => ({
    element,
    right: element.getBoundingClientRect().right,
  }));
  const widest = ends.toSorted((one, other) => other.right - one.right)[0]!;
  return `${scrollWidth}: ${widest.element.outerHTML.slice(0, 200)}`;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** The cells of a record of CSV (RFC 4180). */
function cellsOf(record: string): string[] {
  return [...record.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'),
  );
}
