import assert from 'node:assert/strict';
import { patienceMs } from '@countersign/testing/wait-until';
import type { Browser, Page } from 'playwright-core';
import { visit, type Visitor } from './browser.ts';
import type { LivedInService } from './lived-in-service.ts';
import { tellingPages } from './pages-at-failure.ts';
import { password } from './scene.ts';
import type { View } from './views.ts';

/** The people who look at views, each with a separate browser. */
export type Visitors = Readonly<Record<View['visitor'], Visitor>>;

/** Opens a browser for each of them, and signs them in. */
export async function openVisitors(
  browser: Browser,
  { origin }: LivedInService,
  options: Parameters<typeof visit>[2] = {},
): Promise<Visitors> {
  const [nobody, owner, operator] = await Promise.all(
    [undefined, 'ada@northwind.example', 'olga@provider.example'].map(async (email) => {
      const visitor = await visit(browser, origin, options);
      if (email !== undefined) await signIn(visitor, email);
      return visitor;
    }),
  );
  return { nobody: nobody!, owner: owner!, operator: operator! };
}

/**
 * Signs a person in as the sign-in page does, which has its own tests, and opens no page: the first view of a
 * test is the first page to load.
 */
export async function signIn({ context, origin }: Visitor, email: string): Promise<void> {
  const answer = await context.request.post('/portal/auth/sign-in', {
    headers: { Origin: origin, 'Countersign-CSRF': '1' },
    data: { email, password },
    timeout: patienceMs,
  });
  assert.ok(answer.ok(), `${answer.status()} ${await answer.text()}`);
}

/** Opens the overview of a signed-in person. */
export async function openOverview({ page }: Visitor): Promise<void> {
  await tellingPages(async () => {
    await page.goto('/portal/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
}

/** Gives a page another width, with the height of a usual screen. */
export async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await settle(page);
}

/** Waits for elements that measure themselves, after a page's size has changed. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** Gives the person's system other colours, which the page follows. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}

/** Loads a view, and waits until it is idle. */
export async function load(visitors: Visitors, view: View): Promise<Visitor> {
  const { page } = visitors[view.visitor];
  await page.goto(urlOf(view));
  opened.delete(page);
  return atRest(visitors, view);
}

/**
 * Does the same from within the portal, as a link does, which takes a tenth of the time. A page with open
 * dialogs or filled-in fields is left by a full page load, because it may ask before leaving.
 */
export async function goTo(visitors: Visitors, view: View): Promise<Visitor> {
  const { page } = visitors[view.visitor];
  const isPortal = new URL(page.url()).pathname.startsWith('/portal');
  if (!isPortal || opened.has(page)) return load(visitors, view);
  await page.evaluate((next) => {
    history.pushState({}, '', next);
    dispatchEvent(new PopStateEvent('popstate'));
  }, urlOf(view));
  return atRest(visitors, view);
}

/** Pages on which a view has opened something. */
const opened = new WeakSet<Page>();

function urlOf({ path }: View): string {
  return `/portal${path}`;
}

async function atRest(visitors: Visitors, view: View): Promise<Visitor> {
  const visitor = visitors[view.visitor];
  const { page } = visitor;
  await page.getByText(view.shows).first().waitFor();
  assert.equal(new URL(page.url()).pathname, new URL(urlOf(view), page.url()).pathname, view.title);
  if (view.open !== undefined) {
    opened.add(page);
    await view.open(page);
  }
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  return visitor;
}
