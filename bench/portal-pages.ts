import type { Page } from 'playwright-core';
import type { KnownClient } from './portal-account.ts';
import type { people } from './portal-service.ts';

/** A page of the portal, and what of its data a person waits for. */
export interface MeasuredPage {
  readonly title: string;
  readonly who: keyof typeof people;
  /** The path below `/portal`, with the query. */
  readonly path: string;
  /** CSS for its first row or figure, which must have text. */
  readonly row: string;
}

/** A page on which nothing is large, and that shows no rows of others. */
const startPath = '/try-it';
const row = 'main tbody tr';

/** The pages with rows, by the first client and the newest request of the account. */
export function measuredPages(clients: readonly KnownClient[], requestId: string): readonly MeasuredPage[] {
  const client = `/integrations/api-keys/${clients[0]!.clientId}`;
  const quiet = `/integrations/api-keys/${clients.at(-1)!.clientId}`;
  const owner = { who: 'owner' } as const;
  const operator = { who: 'operator' } as const;
  return [
    { ...owner, title: 'Overview', path: '/', row: 'main dl dd' },
    { ...owner, title: 'API Keys', path: '/integrations/api-keys', row },
    { ...owner, title: 'A client with most requests', path: client, row: 'main dl dd' },
    { ...owner, title: 'Its keys', path: `${client}?tab=keys`, row: 'main article' },
    {
      ...owner,
      title: 'Its network',
      path: `${client}?tab=network`,
      row: 'main code, main li, main tbody tr',
    },
    { ...owner, title: 'Its requests', path: `${client}?tab=requests`, row },
    { ...owner, title: 'Its history', path: `${client}?tab=history`, row: 'main li' },
    { ...owner, title: 'A client with few requests', path: `${quiet}?tab=requests`, row },
    { ...owner, title: 'Requests', path: '/logs/requests', row },
    { ...owner, title: 'Requests of 30 days', path: '/logs/requests?period=30d', row },
    { ...owner, title: 'A request', path: `/logs/requests/${requestId}`, row: 'main dl dd' },
    { ...owner, title: 'Analytics, 24 hours', path: '/logs/analytics', row },
    { ...owner, title: 'Analytics, 30 days', path: '/logs/analytics?range=30d', row },
    { ...owner, title: 'Alert rules', path: '/notices/rules', row },
    { ...owner, title: 'Team', path: '/settings/team', row },
    { ...owner, title: 'Roles', path: '/settings/roles', row: 'main li, main tbody tr' },
    { ...owner, title: 'Audit log', path: '/settings/audit-log', row: 'main ol li' },
    { ...owner, title: 'Documentation', path: '/docs', row: 'main li' },
    { ...operator, title: 'Accounts, for the operator', path: '/operator/accounts', row },
    { ...operator, title: 'System health', path: '/operator/health', row },
  ];
}

/** The searches of the list of requests, in what is kept of thirty days unless the title says otherwise. */
export function measuredSearches(clients: readonly KnownClient[]): readonly MeasuredPage[] {
  const many = clients[0]!;
  // It has sent some, however many clients there are.
  const few = clients[Math.floor(clients.length / 20)]!;
  const search = (title: string, query: string): MeasuredPage => ({
    title,
    who: 'owner',
    path: `/logs/requests?${query.includes('from=') ? '' : 'period=30d&'}${query}`,
    row,
  });
  const day = (before: number): string =>
    encodeURIComponent(new Date(Date.now() - before * 86_400_000).toISOString());
  return [
    search('by a client with many requests', `clientId=${many.clientId}`),
    search('by a client with few requests', `clientId=${few.clientId}`),
    search('by outcome', 'outcome=digest_mismatch'),
    search('by status', 'status=4xx'),
    search('by path', `search=${encodeURIComponent('path:/v1/payments')}`),
    search('by address', `search=${few.address}`),
    search('by time range', `period=custom&from=${day(20)}&to=${day(19)}`),
    search('by text', 'search=payment'),
    // Quoted: a name has spaces, and its number would be read as a status.
    search("by part of a client's name", `search=${encodeURIComponent(`client:"${few.name}"`)}`),
  ];
}

/** Clears what the portal has cached, by loading another page of it. */
export async function startAfresh(page: Page): Promise<void> {
  await page.goto(`/portal${startPath}`);
  await page.locator('main h1:not(.portal-visually-hidden)').waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** Leaves a page, and keeps what the portal has cached: rows that two pages share would count as old. */
export async function leave(page: Page): Promise<void> {
  await page.evaluate((url) => {
    history.pushState({}, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/portal${startPath}`);
  await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
}

/**
 * Opens a page as a link within the portal does, and returns the milliseconds until its first row is drawn. It is
 * measured in the page: the browser is driven from another process, which adds to what it waits.
 */
export async function firstRowMs(page: Page, { path, row: selector }: MeasuredPage): Promise<number> {
  return page.evaluate(openAndWatch, { url: `/portal${path}`, selector, patienceMs });
}

/** What is counted for a page that shows no row at all. */
export const patienceMs = 30_000;

/** Runs in the page. */
function openAndWatch(task: {
  readonly url: string;
  readonly selector: string;
  readonly patienceMs: number;
}): Promise<number> {
  const { url, selector } = task;
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const before = new Set(document.querySelectorAll(selector));
    const isShown = (element: Element): boolean =>
      !before.has(element) &&
      element.checkVisibility() &&
      element.closest('[aria-busy="true"]') === null &&
      (element.textContent ?? '').trim() !== '';
    const look = (): void => {
      if ([...document.querySelectorAll(selector)].some(isShown)) {
        // Drawn with this frame.
        requestAnimationFrame(() => resolve(performance.now() - startedMs));
      } else if (performance.now() - startedMs > task.patienceMs) resolve(task.patienceMs);
      else requestAnimationFrame(look);
    };
    history.pushState({}, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
    requestAnimationFrame(look);
  });
}
