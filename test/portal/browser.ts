import { existsSync } from 'node:fs';
import { patienceMs } from '@countersign/testing/wait-until';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { watch } from './pages-at-failure.ts';

const executablePath = [
  // Chromium without windows: a context costs a fifth of the processor time, and a page half of it.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Why browser tests cannot run here; false if they can. */
export const skipWithoutBrowser: string | false =
  executablePath === undefined
    ? 'no Chromium is installed (Debian: apt-get install chromium-headless-shell)'
    : false;

/** Starts Chromium. Close it in `after`. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
}

/** A person's browser: cookies, storage and a log of the network. */
export interface Visitor {
  /** Of the service. */
  readonly origin: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Everything that the pages sent: URLs, headers and bodies, as one text each. */
  readonly sent: readonly string[];
  /** Script errors and violations of the security policy. */
  readonly complaints: readonly string[];
}

/** Creates a visitor of a service; opens nothing yet. */
export async function visit(
  browser: Browser,
  origin: string,
  options: {
    readonly colorScheme?: 'light' | 'dark';
    readonly width?: number;
    readonly height?: number;
    /** Of the browser: its language, and how it writes dates. */
    readonly locale?: string;
  } = {},
): Promise<Visitor> {
  const { colorScheme = 'light', width = 1280, height = 800, locale = 'en-US' } = options;
  const context = await browser.newContext({
    baseURL: origin,
    locale,
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(withoutTransitions);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const sent: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const fields = Object.entries(request.headers()).map(([name, value]) => `${name}: ${value}`);
    sent.push([`${request.method()} ${request.url()}`, ...fields, request.postData() ?? ''].join('\n'));
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A rejection by the service that the page handles is also an "error" of the console.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  const visitor = { origin, context, page, sent, complaints };
  watch(visitor);
  return visitor;
}

/**
 * Makes a document change its colours and sizes at once: one change of the colour scheme starts hundreds of
 * transitions, and drawing them took most of the tests' time. Runs in the page, before its own scripts.
 */
function withoutTransitions(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}
