import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { vectorUrl } from './conformance/files.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Why tests in a browser are skipped; false where there is one. */
export const skipWithoutBrowser: string | false =
  executablePath === undefined ? 'no Chromium is installed (Debian: apt-get install chromium)' : false;

/** Chromium with a server of its own, which serves the packages as JavaScript, and the vectors. */
export interface ModulePages {
  readonly origin: string;
  readonly browser: Browser;
  /** An empty page that can import the packages by their names. */
  readonly open: () => Promise<Page>;
  readonly close: () => Promise<void>;
}

/** Starts the server and Chromium. */
export async function startModulePages(): Promise<ModulePages> {
  const server = createServer((request, response) => {
    void fileFor(request.url ?? '').then((file) => {
      response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain' });
      response.end(file?.content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: executablePath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    browser,
    async open() {
      const page = await browser.newPage();
      await page.goto(`${origin}/`);
      return page;
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ServedFile {
  readonly type: string;
  readonly content: string | Uint8Array;
}

const imports = {
  '@countersign/signature': '/packages/signature/src/index.ts',
  '@countersign/signature/profile': '/packages/signature/src/profile/index.ts',
  '@countersign/signature/rfc9421': '/packages/signature/src/rfc9421/index.ts',
  '@countersign/signature/keys': '/packages/signature/src/keys/index.ts',
  '@countersign/signature/hashes': '/packages/signature/src/hashes/index.ts',
  '@countersign/signature/free-second': '/packages/signature/src/free-second.ts',
  '@countersign/client': '/packages/client/src/index.ts',
  '@countersign/client/indexed-db': '/packages/client/src/indexed-db.ts',
};
const emptyPage = `<!doctype html><title>Modules</title><script type="importmap">${JSON.stringify({ imports })}</script>`;

async function fileFor(url: string): Promise<ServedFile | undefined> {
  if (url === '/') return { type: 'text/html', content: emptyPage };
  const path = url.slice(1);
  if (path.includes('..')) return undefined;
  try {
    if (/^packages\/(signature|explain|client)\/(src|test)\/.*\.ts$/.test(path)) {
      const source = await readFile(vectorUrl(path), 'utf8');
      return { type: 'text/javascript', content: stripTypeScriptTypes(source) };
    }
    if (!/^(vectors|shared)\//.test(path)) return undefined;
    return {
      type: path.endsWith('.json') ? 'application/json' : 'application/octet-stream',
      content: await readFile(vectorUrl(path)),
    };
  } catch {
    return undefined;
  }
}
