import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId, type NoticePage } from '@countersign/contract';
import type { RunningService } from '@countersign/testing/running-service';
import type { Browser, Page } from 'playwright-core';
import { layout as frame } from '../../packages/portal/src/messages/en/layout.ts';
import { notices as t } from '../../packages/portal/src/messages/en/notices.ts';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { changeDatabase } from './change-database.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openDemonstration, ownDemoAccount } from './demo-account.ts';
import type { PortalSession } from './portal-session.ts';
import { resize, showIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

describe('notices in the portal', { skip: skipWithoutBrowser }, () => {
  let running: RunningService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let owner: PortalSession;

  before(async () => {
    const demonstration = await openDemonstration({ noticesEveryMs: 200 });
    ({ running } = demonstration);
    owner = await ownDemoAccount(demonstration);
    await addNotices();
    browser = await openBrowser();
    visitor = await visit(browser, demonstration.origin, { width: 1440 });
    ({ page } = visitor);
    await page.goto('/portal/');
    await page.getByRole('button', { name: 'Open demo account' }).click();
    await bell().waitFor();
  });

  after(async () => {
    await browser?.close();
    await running?.close();
  });

  /** One notice of each of three kinds, whatever the demo data has today. */
  const addNotices = async (): Promise<void> => {
    const clients = await owner.send<{ data: { clientId: string }[] }>('GET', '/v1/clients?search=checkout');
    const { clientId } = clients.data[0]!;
    const events = await owner.send<{ data: { eventId: string }[] }>(
      'GET',
      `/v1/audit-events?clientId=${clientId}&limit=1`,
    );
    const requestId = newId('request');
    const key = { keyId: newId('key'), fingerprint: `SHA256:${'A'.repeat(43)}`, stage: 'rotation_due' };
    const failure = {
      requestId,
      outcome: 'signature_invalid',
      isProved: false,
      sourceAddress: '203.0.113.9',
    };
    const rows = [
      ['key_due', null, { key: { ...key, dueAt: new Date().toISOString() } }],
      ['first_failure', null, { failure, recoveredAt: new Date().toISOString() }],
      ['policy_changed', events.data[0]!.eventId, {}],
    ] as const;
    await changeDatabase(running, (database) => {
      for (const [kind, eventId, content] of rows) {
        const now = Date.now();
        database
          .prepare('INSERT INTO notices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 1)')
          .run(
            newId('notice'),
            owner.accountId!,
            kind,
            'test',
            now,
            now,
            now,
            1,
            clientId,
            eventId,
            JSON.stringify(content),
          );
      }
    });
  };
  const list = (query = ''): Promise<NoticePage> => owner.send<NoticePage>('GET', `/v1/notices${query}`);
  const bell = () => page.getByRole('link', { name: /^Notices(, [\d,]+ unread)?$/ }).first();
  const items = () => page.getByRole('list', { name: t.list }).getByRole('listitem');

  it('says in the frame how many are unread, and leads to the inbox', async () => {
    await page
      .getByRole('link', { name: /^Notices, \d+ unread$/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: t.title }).waitFor();
    await items().first().waitFor();
    assert.ok((await items().count()) >= 3);
  });

  it('marks one as read, and all', async () => {
    await page.goto('/portal/notices?show=unread');
    await items().first().waitFor();
    const { unread } = await list();
    await items().first().getByRole('button', { name: t.markRead }).click();
    await page
      .getByRole('link', { name: frame.notices(unread - 1), exact: true })
      .first()
      .waitFor();
    await page.getByRole('button', { name: t.markAll }).click();
    await page.getByText(t.noneUnreadTitle).waitFor();
    await page
      .getByRole('link', { name: frame.notices(0), exact: true })
      .first()
      .waitFor();
    assert.equal((await list()).unread, 0);
  });

  it('filters by kind, and leads to what a notice is about', async () => {
    await page.goto('/portal/notices?kind=key_due');
    await items().first().getByRole('link', { name: t.open.keys }).click();
    await page.waitForURL(/\/integrations\/api-keys\/[^/]+\?tab=keys$/);
    await page.goto('/portal/notices?kind=first_failure');
    await items()
      .first()
      .getByText(/Accepted again since/)
      .waitFor();
    await items().first().getByRole('link', { name: t.open.request }).click();
    await page.waitForURL(/\/logs\/requests\?request=request_/);
    await page.goto('/portal/notices?kind=policy_changed');
    await items().first().getByRole('link', { name: t.open.audit }).click();
    await page.waitForURL(/\/settings\/audit-log\?action=/);
  });

  it('lets the person choose kinds, and remembers it', async () => {
    await page.goto('/portal/notices');
    await page.getByRole('link', { name: t.toPreferences }).click();
    await page.getByText(t.noMail).waitFor();
    const name = t.preferenceOf(t.kinds.policy_changed.title, t.inInbox);
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/v1/notice-preferences'));
    await page.getByRole('checkbox', { name }).click();
    await answered;
    await page.reload();
    await page.getByRole('checkbox', { name, checked: false }).waitFor();
    const mail = t.preferenceOf(t.kinds.key_due.title, t.byMail);
    assert.ok(await page.getByRole('checkbox', { name: mail }).isDisabled());
    const { data } = await list('?limit=100');
    assert.ok(data.length > 0 && data.every(({ kind }) => kind !== 'policy_changed'));
    await owner.send('PATCH', '/v1/notice-preferences', {
      preferences: [{ kind: 'policy_changed', inInbox: true, byMail: true }],
    });
  });

  for (const path of ['/portal/notices', '/portal/settings/profile']) {
    it(`fits into every width, without a violation of accessibility, light and dark: ${path}`, async () => {
      await page.goto(path);
      await (path.endsWith('notices') ? items().first() : page.getByText(t.preferencesText)).waitFor();
      await page.getByRole('checkbox').or(items()).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await showIn(page, colorScheme);
        for (const width of [390, 1024, 1440]) {
          await resize(page, width);
          assert.deepEqual(await stickingOut(page), []);
          assert.deepEqual(await brokenRules(page), [], `${colorScheme}, ${width} px`);
        }
      }
    });
  }

  it('goes with the demo data', async () => {
    await owner.send('DELETE', '/v1/demo-data');
    const { data } = await list('?limit=100');
    // What concerns the real owner and the real client stays.
    assert.deepEqual(
      data.filter(({ client }) => client && client.name !== 'Demo client'),
      [],
    );
    assert.deepEqual(
      data.filter(({ event }) => event && event.actor.name !== 'Demo Owner'),
      [],
    );
    assert.deepEqual(visitor.complaints, []);
  });
});
