// `npm run docs:portal`: takes the pictures in docs/portal from a service with a month of use, and runs axe on every view in light
// and dark colours.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { startLivedInService } from './lived-in-service.ts';
import { load, openVisitors } from './showing.ts';
import { type View, viewsOf } from './views.ts';

const folder = fileURLToPath(new URL('../../docs/portal', import.meta.url));
/** Views also shown on a phone. */
const onPhones = new Set(['overview', 'api-keys', 'add-client', 'client', 'request', 'debugger']);
/** Taller than a screen, to show the whole page. */
const wholePages = new Set([
  'overview',
  'client',
  'profile',
  'debugger',
  'roles',
  'add-client',
  'generate-key',
  'private-key-refused',
]);

if (skipWithoutBrowser !== false) throw new Error(`Pictures need a browser: ${skipWithoutBrowser}`);
const faults: string[] = [];
const service = await startLivedInService(30);
const browser = await openBrowser();
try {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith('.webp')) rmSync(join(folder, name));
  const views = viewsOf(service);
  await take(views, 'light', '');
  await take(views, 'dark', '');
  const phone = views.filter(({ name }) => onPhones.has(name));
  await take(phone, 'light', '-phone');
  await take(phone, 'dark', '-phone');
  writeFileSync(join(folder, 'README.md'), contents(views));
  console.log(faults.length === 0 ? 'axe found nothing wrong.' : faults.join('\n\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  await service.close();
}

async function take(views: readonly View[], colorScheme: 'light' | 'dark', suffix: string): Promise<void> {
  const size = suffix === '' ? { width: 1280, height: 800 } : { width: 390, height: 780 };
  const visitors = await openVisitors(browser, service, { colorScheme, ...size });
  for (const view of views) {
    const { page } = await load(visitors, view);
    faults.push(
      ...(await accessibilityFaults(page)).map((fault) => `${view.name}, ${colorScheme}: ${fault}`),
    );
    const path = join(folder, `${view.name}-${colorScheme}${suffix}.webp`);
    writeFileSync(path, await picture(page, size, wholePages.has(view.name) && suffix === ''));
    console.log(path);
  }
  for (const { context } of Object.values(visitors)) await context.close();
}

/** WebP takes a quarter of PNG's size. */
async function picture(
  page: Page,
  size: { width: number; height: number },
  isWhole: boolean,
): Promise<Buffer> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...size, height: isWhole ? Math.max(height, size.height) : size.height });
  await page.evaluate(() => window.scrollTo(0, 0));
  // Waits for animations to end.
  await page.waitForTimeout(400);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await session.detach();
  await page.setViewportSize(size);
  return Buffer.from(data, 'base64');
}

function contents(views: readonly View[]): string {
  const rows = views.map(({ name, title }) =>
    [title, `![${title}, light](${name}-light.webp)`, `![${title}, dark](${name}-dark.webp)`].join(' | '),
  );
  const phones = views
    .filter(({ name }) => onPhones.has(name))
    .map(({ name, title }) =>
      [
        title,
        `![${title}, light](${name}-light-phone.webp)`,
        `![${title}, dark](${name}-dark-phone.webp)`,
      ].join(' | '),
    );
  return [
    '# Pictures of the portal',
    '',
    'Made by `npm run docs:portal`, of an account that has been in use for a month. What the portal is, and who may do what in',
    'it: [docs/portal.md](../portal.md).',
    '',
    '| Page | Light | Dark |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    '## On a phone',
    '',
    '| Page | Light | Dark |',
    '|---|---|---|',
    ...phones.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}
