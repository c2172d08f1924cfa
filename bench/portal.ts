import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from '@countersign/testing/service-process';
import type { Browser, Page } from 'playwright-core';
import { layoutShift } from '../test/portal/layout-shift.ts';
import { openBrowser, skipWithoutBrowser, visit } from '../test/portal/browser.ts';
import { signIn } from '../test/portal/showing.ts';
import { quantile } from './paired.ts';
import type { AccountSize } from './portal-account.ts';
import { type BesideResult, measureBeside } from './portal-beside.ts';
import {
  firstRowMs,
  patienceMs,
  type MeasuredPage,
  measuredPages,
  measuredSearches,
  startAfresh,
} from './portal-pages.ts';
import { type LargeService, openLargeService, people } from './portal-service.ts';

/** How long people wait for the pages of a large account, and how long requests wait for these people. */
export interface PortalResult {
  readonly size: AccountSize;
  readonly pages: readonly PageFigures[];
  readonly searches: readonly PageFigures[];
  readonly beside: BesideResult;
}

/** What one page took, in several visits. */
export interface PageFigures {
  readonly title: string;
  /** Milliseconds from the click until the first row is drawn. */
  readonly medianMs: number;
  readonly worstMs: number;
  /** Milliseconds until the largest element is drawn, and how much moved, when the browser loads the page itself. */
  readonly loaded?: { readonly largestMs: number; readonly shift: number } | undefined;
}

/** Measures with a browser of its own, which must be installed. */
export async function benchPortal(size: AccountSize, visits: number, seconds: number): Promise<PortalResult> {
  if (skipWithoutBrowser !== false) throw new Error(`The portal needs a browser: ${skipWithoutBrowser}`);
  const service = await openLargeService(size);
  try {
    const { pages, searches } = await measurePages(service, visits);
    console.error('  browsers beside requests');
    const idle = await openIdleService();
    try {
      const clicked = [...pages.measured, ...searches.measured].filter(({ who }) => who === 'owner');
      const beside = await measureBeside(service, idle.port, clicked, seconds);
      return { size, pages: pages.figures, searches: searches.figures, beside };
    } finally {
      await idle.close();
    }
  } finally {
    await service.close();
  }
}

/** Starts a service without an account. */
async function openIdleService(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const service = new ServiceProcess(dataFolder);
  const close = async (): Promise<void> => {
    await service.end('SIGTERM');
    rmSync(dataFolder, { recursive: true, force: true });
  };
  try {
    return { port: Number(new URL(await service.listening()).port), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Measured {
  readonly measured: readonly MeasuredPage[];
  readonly figures: readonly PageFigures[];
}

async function measurePages(
  service: LargeService,
  visits: number,
): Promise<{ readonly pages: Measured; readonly searches: Measured }> {
  const browser = await openBrowser();
  try {
    const [owner, operator] = await Promise.all([
      signedIn(browser, service.origin, people.owner),
      signedIn(browser, service.origin, people.operator),
    ]);
    await owner.goto('/portal/logs/requests');
    const newest = owner.locator('main tbody tr[data-row]').first();
    const requestId = (await newest.getAttribute('data-row')) ?? '';
    const measure = async (measured: readonly MeasuredPage[], isLoaded: boolean): Promise<Measured> => {
      const figures: PageFigures[] = [];
      for (const one of measured) {
        const page = one.who === 'owner' ? owner : operator;
        figures.push(await measurePage(page, one, visits, isLoaded));
        console.error(`  ${one.title}: ${figures.at(-1)!.medianMs.toFixed(0)} ms`);
      }
      return { measured, figures };
    };
    const pages = await measure(measuredPages(service.clients, requestId), true);
    return { pages, searches: await measure(measuredSearches(service.clients), false) };
  } finally {
    await browser.close();
  }
}

async function signedIn(browser: Browser, origin: string, email: string): Promise<Page> {
  const visitor = await visit(browser, origin, { width: 1440, height: 900 });
  await signIn(visitor, email);
  return visitor.page;
}

async function measurePage(
  page: Page,
  measured: MeasuredPage,
  visits: number,
  isLoaded: boolean,
): Promise<PageFigures> {
  const taken: number[] = [];
  for (let count = 0; count < visits; count += 1) {
    await startAfresh(page);
    taken.push(await firstRowMs(page, measured));
  }
  return {
    title: measured.title,
    medianMs: quantile(taken, 0.5),
    worstMs: Math.max(...taken),
    loaded: isLoaded && Math.max(...taken) < patienceMs ? await measureLoading(page, measured) : undefined,
  };
}

async function measureLoading(page: Page, { path, row }: MeasuredPage): Promise<PageFigures['loaded']> {
  await page.goto(`/portal${path}`);
  await page.locator(row).first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  return { largestMs: await largestPaintMs(page), shift: await layoutShift(page) };
}

/** Returns when the page's largest element was drawn, as browsers measure it. */
function largestPaintMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let last = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) last = Math.max(last, entry.startTime);
        });
        observer.observe({ type: 'largest-contentful-paint', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(last)));
      }),
  );
}
