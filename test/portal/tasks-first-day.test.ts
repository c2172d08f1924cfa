import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe } from 'node:test';
import { promisify } from 'node:util';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { missingPrograms } from '../../packages/cli/test/installed.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { password, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { tasksAt, type Work, type Workplace } from './tasks.ts';
import { totpCode } from './totp.ts';

/** Tabs of the example on the page after a client was added, each with the software that its program needs. */
const languages = [
  { title: 'curl', needs: ['curl', 'openssl'] },
  { title: 'Python', needs: ['python3', 'openssl'] },
  { title: 'JavaScript', needs: [] },
] as const;

const networks = ['203.0.113.0/24', '198.51.100.7', '127.0.0.1', '::1'];

/** One story: each task continues where the one before it ended. */
describe('the first day of an account, with a count of clicks', { skip: skipWithoutBrowser }, () => {
  const ada = 'ada@northwind.example';
  const { privateKey, publicKey } = makeKeyPair();
  let service: PortalService;
  let browser: Browser;
  let invitation = '';
  let session: Parameters<BrowserContext['addCookies']>[0] = [];
  let added = '';

  before(async () => {
    service = await startPortalService();
    await setUpOperator(service);
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const workplace = (): Workplace => ({ browser, origin: service.origin });
  const operatorTask = tasksAt(workplace, 'olga@provider.example');
  const guestTask = tasksAt(workplace, undefined);
  /** Hers begins at any page: a new sign-in would ask for the second factor. */
  const ownerTask = (name: string, clicksMax: number, start: () => string, work: Work): void =>
    guestTask(name, clicksMax, async (person, page, visitor) => {
      await visitor.context.addCookies(session);
      await page.goto(start());
      await page.getByRole('heading', { level: 1 }).waitFor();
      await work(person, page, visitor);
    });

  operatorTask('add an account and invite its first owner', 5, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'Accounts', exact: true }));
    await person.click(page.getByRole('button', { name: 'Add account' }));
    await person.see(page.getByRole('dialog').locator('input:focus'));
    await person.type('Northwind');
    await person.press('Tab');
    await person.type(ada);
    await person.look();
    await person.click(page.getByRole('dialog').getByRole('button', { name: 'Add account' }));
    // This service sends no mail.
    await person.click(page.getByRole('dialog').getByRole('button', { name: /^Copy/ }));
    invitation = await copied(page);
    await person.click(page.getByRole('button', { name: 'Done' }));
    await person.see(page.getByRole('row', { name: /Northwind/ }));
  });

  guestTask('accept the invitation and set up a second factor', 6, async (person, page, { context }) => {
    await page.goto(invitation);
    await person.see(page.locator('input:focus'));
    await person.type('Ada Lindqvist');
    await person.press('Tab');
    await person.type(password);
    await person.press('Enter');
    await person.click(page.getByRole('link', { name: 'Secure sign-in' }));
    await person.click(page.getByRole('button', { name: 'Set up an authenticator app' }));
    const dialog = page.getByRole('dialog');
    await person.see(dialog.locator('input:focus'));
    await person.type(totpCode((await dialog.locator('code').textContent()) ?? ''));
    await person.press('Enter');
    const codes = page.getByRole('dialog', { name: 'Save your recovery codes' });
    await person.click(codes.getByRole('button', { name: /Copy/ }));
    await person.click(codes.getByLabel('I have saved these codes'));
    await person.click(codes.getByRole('button', { name: 'Done' }));
    await codes.waitFor({ state: 'detached' });
    session = await context.cookies();
  });

  guestTask('sign in, up to the code of the second factor', 0, async (person, page) => {
    await page.goto('/portal/sign-in');
    await person.see(page.getByLabel('Email').and(page.locator(':focus')));
    await person.type(ada);
    await person.press('Tab');
    await person.type(password);
    await person.press('Enter');
    await person.see(page.getByLabel('Code', { exact: true }).and(page.locator(':focus')));
  });

  ownerTask(
    'add a client with four networks, a public key and a role',
    7,
    () => '/portal/',
    async (person, page) => {
      await person.click(page.getByRole('link', { name: 'Add client' }));
      await person.click(page.getByRole('textbox', { name: 'Name' }));
      await person.type('Web shop');
      await person.click(page.getByRole('textbox', { name: 'Address or network' }));
      for (const network of networks) {
        await person.type(network);
        await person.press('Enter');
      }
      await person.click(page.getByRole('textbox', { name: 'Public key' }));
      await person.paste(publicKey);
      await person.click(page.getByRole('checkbox', { name: /payments-operator/ }));
      await person.look();
      await person.click(page.getByRole('button', { name: 'Add', exact: true }));
      await person.see(page.getByText('Waiting for the first signed request'));
      added = page.url();
    },
  );

  // The page begins with the first of them.
  for (const { title } of languages.filter(({ needs }) => missingPrograms(...needs) === false)) {
    ownerTask(
      `send the first request with ${title}`,
      3,
      () => added,
      async (person, page) => {
        const folder = join(service.dataFolder, `folder-for-${title}`);
        await mkdir(folder);
        await writeFile(join(folder, 'private.pem'), privateKey, { mode: 0o600 });
        await person.see(page.getByRole('tab', { name: title, exact: true }));
        if (title !== languages[0].title)
          await person.click(page.getByRole('tab', { name: title, exact: true }));
        await person.click(page.getByRole('button', { name: `Copy ${title} example` }));
        const [, fileName = ''] = /^Save as (\S+)$/m.exec(await page.locator('main').innerText()) ?? [];
        await writeFile(join(folder, fileName), await copied(page));
        await person.click(page.getByRole('button', { name: 'Copy command to run the example' }));
        const output = await run(await copied(page), folder);
        assert.match(output, /200[^]*200/);
        await person.see(page.getByText('The first signed request has arrived'));
      },
    );
  }
});

/** What the person has copied in the page. */
function copied(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Runs a command as typed in a shell that finds this Node first. */
async function run(command: string, cwd: string): Promise<string> {
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { cwd, env });
  return stdout + stderr;
}
