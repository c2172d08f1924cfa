import { execFileSync } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, visit } from '../test/portal/browser.ts';
import { signIn } from '../test/portal/showing.ts';
import { firstRowMs, leave, type MeasuredPage, startAfresh } from './portal-pages.ts';
import { people } from './portal-service.ts';

/* People who click through the pages of the account, until the process that started this one ends it. */

/** What they do. */
export interface ClickingTask {
  readonly origin: string;
  readonly browsers: number;
  readonly pages: readonly MeasuredPage[];
}

const { origin, browsers, pages } = JSON.parse(process.argv[2]!) as ClickingTask;
yieldToOthers();
const pagesPerReload = 5;
const state = { isClicking: true };
const opened: Browser[] = [];
let views = 0;
process.on('message', () => (state.isClicking = false));
process.on('disconnect', () => void end());

const ready = await Promise.all(Array.from({ length: browsers }, () => openSignedIn()));
process.send?.('ready');
await Promise.all(ready.map((page, place) => click(page, place)));
await end();

/** People have machines of their own: here their browsers get the time that the service leaves. */
function yieldToOthers(): void {
  try {
    // Linux then lets every other process run first. A low priority alone makes the service wait for a browser's turn.
    execFileSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)]);
  } catch {
    setPriority(19);
  }
}

async function openSignedIn(): Promise<Page> {
  const browser = await openBrowser();
  opened.push(browser);
  const visitor = await visit(browser, origin, { width: 1440, height: 900 });
  await signIn(visitor, people.owner);
  await startAfresh(visitor.page);
  return visitor.page;
}

async function click(page: Page, place: number): Promise<void> {
  for (let turn = place * 7; state.isClicking; turn += 1) {
    // Now and then with nothing cached, as after a reload.
    await (turn % pagesPerReload === 0 ? startAfresh(page) : leave(page));
    await firstRowMs(page, pages[turn % pages.length]!);
    views += 1;
  }
}

async function end(): Promise<void> {
  if (process.connected) process.send?.(views);
  for (const browser of opened) await browser.close();
  process.exit(0);
}
