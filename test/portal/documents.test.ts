import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { snippets } from '../../packages/portal/src/messages/en/snippets.ts';
import { renderDocuments } from '../../packages/portal/documents/documents.ts';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { addCustomer, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { resize, showIn, signIn } from './showing.ts';

describe('the documentation in the portal', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let clientId = '';

  before(async () => {
    service = await startPortalService();
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    const owner = await addCustomer(service, await setUpOperator(service), 'Northwind', person);
    const networkWhitelist = [{ entry: '203.0.113.0/24' }];
    const { publicKey } = makeKeyPair();
    const body = { name: '<b>Payment</b> service', roles: ['payments-reader'], networkWhitelist, publicKey };
    ({ clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', body));
    browser = await openBrowser();
    visitor = await visit(browser, service.origin);
    ({ page } = visitor);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('is open to people who are signed out, and nothing else is', async () => {
    await page.goto('/portal/docs');
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    await page.getByRole('combobox', { name: 'Programming language' }).selectOption('Python');
    await page.getByRole('link', { name: 'First request in Python' }).click();
    await page.getByRole('heading', { level: 1, name: 'First request in Python' }).waitFor();
    assert.equal(await page.getByLabel('Client ID in the examples').count(), 0);
    assert.equal(await page.getByRole('navigation', { name: 'Main navigation' }).count(), 0);
    assert.deepEqual(
      visitor.sent.filter((request) => request.includes('/v1/')),
      [],
    );
    await page.goto('/portal/docs/no-such-document');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.goto('/portal/logs/requests');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  it('begins with six cards, which lead to every document, and with its search', async () => {
    await page.goto('/portal/docs');
    await page
      .getByRole('searchbox', { name: 'Search the documentation', exact: true })
      .and(page.locator(':focus'))
      .waitFor();
    const cards = page.getByRole('main').locator('section');
    assert.equal(await cards.count(), 6);
    for (const card of await cards.all()) {
      const links = await card.getByRole('link').filter({ visible: true }).count();
      assert.ok(links >= 4 && links <= 6, `${await card.innerText()}: ${links}`);
    }
    const linked = await cards
      .locator('a')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
    assert.deepEqual(
      [...new Set(linked)].toSorted(),
      renderDocuments()
        .map(({ slug }) => `/portal/docs/${slug}`)
        .toSorted(),
    );
    const more = cards.first().locator('summary');
    await more.focus();
    await page.keyboard.press('Enter');
    await cards.first().getByRole('link', { name: 'First request in Rust' }).waitFor();
  });

  it('keeps the chosen language, on the next visit and from guide to guide', async () => {
    const language = page.getByRole('combobox', { name: 'Programming language' });
    await language.selectOption('Go');
    const cards = page.getByRole('main').locator('section');
    assert.equal(await cards.first().getByRole('link').first().innerText(), 'First request in Go');
    await page.reload();
    await language.waitFor();
    assert.equal(await language.inputValue(), 'go');
    await cards.filter({ hasText: 'Packages' }).getByRole('link', { name: 'The Go package' }).click();
    await page.getByRole('heading', { level: 1, name: 'The Go package' }).waitFor();
    await language.selectOption('Ruby');
    await page.getByRole('heading', { level: 1, name: 'The Ruby package' }).waitFor();
    await page.goto('/portal/docs');
    assert.equal(await cards.first().getByRole('link').first().innerText(), 'First request in Ruby');
    await page.evaluate(() => localStorage.setItem('countersign-programming-language', '<b>'));
    await page.reload();
    await page.getByRole('link', { name: 'First request in the shell' }).waitFor();
  });

  it('finds an error by its code, marks it, and goes to its place', async () => {
    await page.goto('/portal/docs');
    const search = page.getByRole('searchbox', { name: 'Search the documentation' });
    await search.fill('no-such-word-anywhere');
    await page.getByText('No matches').first().waitFor();
    await search.fill('signature_missing');
    const results = page.getByRole('region', { name: /result/ });
    await results.getByRole('link', { name: 'signature_missing' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Error codes' }).waitFor();
    await page.getByText(/^\d+ match(es)? on this page$/).waitFor();
    const found = await page.evaluate(() => {
      const [range] = CSS.highlights.get('document-search') ?? [];
      const { top } = document.querySelector('[data-reached]')!.getBoundingClientRect();
      return {
        hit: (range as Range | undefined)?.toString(),
        reached: location.hash,
        isInView: top >= 0 && top < innerHeight,
      };
    });
    assert.deepEqual(found, { hit: 'signature_missing', reached: '#signature_missing', isInView: true });
  });

  it('searches for what a link says, once decoded', async () => {
    for (const path of ['docs', 'docs/signing/python']) {
      await page.goto(`/portal/${path}?search=%2525+%252B`);
      const search = page.getByRole('searchbox').first();
      await search.waitFor();
      assert.equal(await search.inputValue(), '%25 %2B');
    }
  });

  it('leads from document to document without loading the page again', async () => {
    await page.goto('/portal/docs/signing/python');
    await page.evaluate(() => {
      document.documentElement.dataset['kept'] = '';
    });
    await page.getByRole('main').getByRole('link', { name: 'error codes' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Error codes' }).waitFor();
    const neighbours = page.getByRole('navigation', { name: 'Previous and next document' });
    await neighbours.getByRole('link', { name: /^Next/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Troubleshooting' }).waitFor();
    await neighbours.getByRole('link', { name: /^Previous/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Error codes' }).waitFor();
    assert.equal(await page.locator('[data-kept]').count(), 1);
  });

  it('fills in the base URL and the chosen client, and copies plain text', async () => {
    await signIn(visitor, 'ada@northwind.example');
    await page.goto('/portal/docs/signing/python');
    const command = page.locator('pre', { hasText: 'CLIENT_ID =' });
    await command.getByText('client_…').waitFor();
    await page.getByRole('combobox', { name: 'Client ID in the examples' }).click();
    await page.getByRole('option', { name: '<b>Payment</b> service' }).click();
    await command.getByText(clientId).waitFor();
    const expected = `"COUNTERSIGN_BASE_URL", "${service.origin}")\nCLIENT_ID = "${clientId}"\n`;
    await page.locator('.document-code', { has: command }).getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.ok((await page.evaluate(() => navigator.clipboard.readText())).includes(expected));
    // Anyone can write a link: it must not put code into text that a person copies.
    await page.goto(`/portal/docs/signing/python?client=${encodeURIComponent("'$(id)'")}`);
    await command.getByText('client_…').waitFor();
    // A program to copy leads to the package's guide, with its client filled in.
    await page.goto(`/portal/integrations/api-keys/${clientId}?tab=snippets`);
    await page.getByRole('link', { name: snippets.guide('curl') }).click();
    await page.getByRole('heading', { level: 1, name: 'First request in the shell' }).waitFor();
    await page.locator('pre', { hasText: clientId }).first().waitFor();
    await page.goto('/portal/docs/signing/python');
    await page.getByRole('combobox', { name: 'Client ID in the examples' }).click();
    await page.getByRole('option', { name: '<b>Payment</b> service' }).click();
    // The client stays for the next document.
    await page
      .getByRole('navigation', { name: 'Get started' })
      .getByRole('link', { name: 'First request in Go' })
      .click();
    await page.locator('pre', { hasText: clientId }).first().waitFor();
  });

  for (const path of ['/docs', '/docs?search=signature', '/docs/errors?search=signature', '/docs/api/keys']) {
    it(`is accessible and fits, in every width, light and dark: ${path}`, async () => {
      await page.goto(`/portal${path}`);
      await page.getByRole('main').getByRole('link').nth(3).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await showIn(page, colorScheme);
        for (const width of [390, 1024, 1440]) {
          await resize(page, width);
          const where = `${colorScheme}, ${width} px`;
          assert.deepEqual(
            await accessibilityFaults(page, { isColoursOnly: colorScheme === 'dark' }),
            [],
            where,
          );
          const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(beyond <= 0, `it sticks out by ${beyond} px: ${where}`);
        }
      }
    });
  }

  it('breaks no rule of the security policy', () => {
    assert.deepEqual(visitor.complaints, []);
  });
});
