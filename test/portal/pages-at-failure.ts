import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';

/** Visitors whose browser is open. */
const visitors = new Set<Visitor>();
/** Errors that already describe what the pages showed. */
const told = new WeakSet<Error>();

/** From now on, an error of a test includes what the visitor's pages showed when it happened. */
export function watch(visitor: Visitor): void {
  visitors.add(visitor);
  visitor.context.on('close', () => visitors.delete(visitor));
}

/** Does the same for the set-up before the first test. */
export async function tellingPages<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await tellPages(error);
    throw error;
  }
}

// A hook of the root: it runs after each test of the process, while the test's pages are open.
afterEach(async (context) => {
  if ('error' in context && !context.passed) await tellPages(context.error?.cause ?? context.error);
});

async function tellPages(error: unknown): Promise<void> {
  if (!(error instanceof Error) || told.has(error) || visitors.size === 0) return;
  told.add(error);
  const place = process.env['TEST_PICTURES'] ?? tmpdir();
  await mkdir(place, { recursive: true });
  const folder = await mkdtemp(join(place, 'countersign-pages-'));
  const pages = [...visitors].flatMap((visitor) =>
    visitor.context.pages().map((page) => ({ visitor, page })),
  );
  const texts = await Promise.all(
    pages.map(({ visitor, page }, index) =>
      describePage(page, visitor, join(folder, `page-${index + 1}.png`)),
    ),
  );
  // Reporters print the stack, which contains the original message.
  error.stack = [error.stack ?? error.message, ...texts].join('\n\n');
}

async function describePage(page: Page, { complaints }: Visitor, picture: string): Promise<string> {
  // A blocked page never responds: the wait must not lose the error.
  const text = await page
    .locator('body')
    .innerText({ timeout: answerMsMax })
    .catch(() => '(The page does not answer.)');
  const place = await page.screenshot({ path: picture, timeout: answerMsMax }).then(
    () => picture,
    () => 'none could be taken',
  );
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return [
    `The page ${page.url()} showed:`,
    ...lines.slice(0, linesMax).map((line) => `  | ${line.slice(0, 160)}`),
    ...(lines.length > linesMax ? [`  | … and ${lines.length - linesMax} more lines`] : []),
    ...complaints.slice(-complaintsMax).map((complaint) => `Its console: ${complaint}`),
    `Its picture: ${place}`,
  ].join('\n');
}

const answerMsMax = 10_000;
const linesMax = 20;
const complaintsMax = 5;
