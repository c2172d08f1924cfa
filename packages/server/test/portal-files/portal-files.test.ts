import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { NetworkWhitelist } from '@countersign/contract';
import { attach, BaseUrls, createGate, createListener, type Door, type Route } from '@countersign/gate';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { openPortalFiles } from '../../src/pages/portal-files.ts';

const script = `export const words = ${JSON.stringify('word '.repeat(500))};`;
const page =
  '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script src="/portal/assets/page-a1.js"></script>';
const built: Readonly<Record<string, string | Buffer>> = {
  'index.html': page,
  'manifest.json': '{}',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/page-a1.js': script,
  'assets/page-a1.js.gz': gzipSync(script),
  'assets/page-a1.js.br': brotliCompressSync(script),
  'assets/page-b2.css': 'body { margin: 0 }',
  'assets/source.ts': 'no file of the portal',
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Ask = (
  path: string,
  options?: { method?: string; headers?: Record<string, string>; body?: string },
) => Promise<Answer>;

/** Serves a build of the portal; what is left to others is answered with 418. */
async function serve(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>> = built,
  folder = temporaryFolder(t),
): Promise<Ask> {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const find = openPortalFiles(folder);
  const left: Route = {
    kind: 'page',
    admit: () => ({ ok: true, sender: {}, answer: () => ({ status: 418 }) }),
  };
  const door: Door = { find: (head) => find(head) ?? left };
  const server = createListener();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const problemTypeBase = `http://127.0.0.1:${port}/docs/errors`;
  const onRequest = createGate({
    baseUrls: new BaseUrls([{ baseUrls: [`http://127.0.0.1:${port}`], door }]),
    trustedProxies: new NetworkWhitelist([]),
    bodyBytesMax: 1000,
    observer: { answered: () => undefined, unparsable: () => undefined, failed: assert.fail },
    problemTypeBase,
    nowMs: Date.now,
    isStopping: () => false,
  });
  attach(server, { onRequest, problemTypeBase });
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

describe('the files of the portal', () => {
  const left = [
    ['/v1/whoami', {}],
    ['/docs', {}],
    ['/portals/', {}],
    ['//portal/', {}],
    ['/PORTAL/', {}],
    ['/portal/auth', {}],
    ['/portal/auth/state', {}],
    ['/portal/', { method: 'POST' }],
    ['/portal/', { method: 'POST', body: 'text' }],
    ['/portal/', { headers: { 'content-length': '4' }, body: 'text' }],
    ['/portal/', { headers: { 'transfer-encoding': 'chunked' } }],
    ['/', { headers: { 'signature-input': 'sig=()' } }],
    ['/portal/', { headers: { signature: 'sig=::' } }],
  ] as const;
  for (const [path, options] of left) {
    it(`are not what ${JSON.stringify({ path, ...options })} asks for`, async (t) => {
      assert.equal((await (await serve(t))(path, options)).status, 418);
    });
  }

  const outside = [
    '/portal/assets/../../../package.json',
    '/portal/assets/%2e%2e/%2e%2e/package.json',
    '/portal/assets/..%2f..%2fpackage.json',
    '/portal/assets/page-old.js',
    '/portal/assets/source.ts',
    '/portal/assets/page-a1.js.gz',
    '/portal/assets/__proto__',
    '/portal/assets/',
  ];
  for (const path of outside) {
    it(`have nothing at ${path}, not even the page`, async (t) => {
      const { status, headers, body } = await (await serve(t))(path);
      assert.deepEqual([status, headers['content-type']], [404, 'text/plain; charset=utf-8']);
      assert.doesNotMatch(body.toString(), /doctype|countersign/i);
    });
  }

  it('are found from the root', async (t) => {
    const ask = await serve(t);
    for (const path of ['/', '/?utm=1', '/portal', '/portal?x=//evil.example']) {
      const { status, headers } = await ask(path);
      assert.deepEqual([status, headers.location], [302, '/portal/'], path);
    }
  });

  it('give the page for every path of it, each time with another nonce', async (t) => {
    const ask = await serve(t);
    const nonces = new Set<string>();
    const paths = [
      '/portal/',
      '/portal/?return=/x',
      '/portal/index.html',
      '/portal/integrations/api-keys/shop.v1',
      '/portal/manifest.json',
      '/portal/..%2f..%2fetc/passwd',
    ];
    for (const path of paths) {
      const { status, headers, body } = await ask(path, { headers: { 'accept-encoding': 'gzip, br' } });
      assert.equal(status, 200, path);
      const nonce = /content="([\w-]{24})"/.exec(body.toString())?.[1] ?? assert.fail(body.toString());
      nonces.add(nonce);
      assert.equal(
        headers['content-security-policy'],
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
          "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.match(String(headers['permissions-policy']), /camera=\(\), .*payment=\(\)/);
      assert.equal(headers['content-encoding'], undefined);
    }
    assert.equal(nonces.size, paths.length);
  });

  it('say with every answer what browsers must not do', async (t) => {
    const ask = await serve(t);
    for (const path of [
      '/',
      '/portal/',
      '/portal/icon.svg',
      '/portal/assets/page-a1.js',
      '/portal/assets/no.js',
    ]) {
      const { headers } = await ask(path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['referrer-policy'], 'no-referrer', path);
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
      assert.equal(headers['x-frame-options'], 'DENY', path);
      assert.equal(headers['set-cookie'], undefined, path);
    }
    // An image that is opened for itself runs nothing.
    const { headers } = await ask('/portal/icon.svg');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/);
  });

  const languages = [
    [{}, 'en'],
    [{ 'accept-language': 'de' }, 'de'],
    [{ 'accept-language': 'DE-at, en;q=0.8' }, 'de'],
    [{ 'accept-language': 'fr, de;q=0.3, en;q=0.5' }, 'en'],
    [{ 'accept-language': 'fr, de;q=0' }, 'en'],
    [{ 'accept-language': 'de;q=much' }, 'en'],
    [{ 'accept-language': '../../etc/passwd, *' }, 'en'],
    [{ 'accept-language': 'en', cookie: 'a=b; countersign-language=de' }, 'de'],
    [{ 'accept-language': 'de', cookie: 'countersign-language=en' }, 'en'],
    [{ 'accept-language': 'de', cookie: 'countersign-language=__proto__' }, 'de'],
    [{ cookie: 'countersign-language=../index' }, 'en'],
    [{ cookie: 'countersign-language=de; countersign-language=en' }, 'en'],
  ] as const;
  for (const [headers, language] of languages) {
    it(`give the page in ${language} to a browser with ${JSON.stringify(headers)}`, async (t) => {
      const german = page.replace('<!doctype html>', '<!doctype html><html lang="de">');
      const ask = await serve(t, { ...built, 'index.de.html': german, 'manifest.de.json': '{}' });
      for (const path of ['/portal/', '/portal/manifest.de.json', '/portal/index.de.html']) {
        const answer = await ask(path, { headers });
        assert.deepEqual([answer.status, answer.headers['content-language']], [200, language], path);
        assert.equal(answer.body.includes('lang="de"'), language === 'de', path);
      }
    });
  }

  it('are kept for ever where their names say what is in them, and asked about elsewhere', async (t) => {
    const ask = await serve(t);
    const hashed = await ask('/portal/assets/page-b2.css');
    assert.equal(hashed.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(hashed.headers['content-type'], 'text/css; charset=utf-8');
    const plain = await ask('/portal/icon.svg');
    assert.deepEqual(
      [plain.headers['cache-control'], plain.headers['content-type']],
      ['no-cache', 'image/svg+xml'],
    );
    const entityTag = String(plain.headers.etag);
    for (const [known, status] of [
      [entityTag, 304],
      [`"other", W/${entityTag}`, 304],
      ['"other"', 200],
    ] as const) {
      const again = await ask('/portal/icon.svg', { headers: { 'if-none-match': known } });
      assert.deepEqual([again.status, again.body.length > 0], [status, status === 200], known);
    }
  });

  const codings = [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5, br;q=0', 'gzip'],
    ['br;q=0.000, gzip; q=0', undefined],
    ['zstd', undefined],
    ['', undefined],
  ] as const;
  for (const [accepted, coding] of codings) {
    it(`are sent ${coding ?? 'as they are'} to who takes ${JSON.stringify(accepted)}`, async (t) => {
      const ask = await serve(t);
      const { headers, body } = await ask('/portal/assets/page-a1.js', {
        headers: { 'accept-encoding': accepted },
      });
      assert.equal(headers['content-encoding'], coding);
      assert.equal(headers['vary'], 'Accept-Encoding');
      assert.equal(Number(headers['content-length']), body.length);
      const plain = coding === 'br' ? brotliDecompressSync(body) : coding ? gunzipSync(body) : body;
      assert.equal(plain.toString(), script);
      const { headers: uncoded } = await ask('/portal/assets/page-a1.js');
      assert.equal(headers.etag === uncoded.etag, coding === undefined);
    });
  }

  it('stay as they were when they were first read', async (t) => {
    const folder = temporaryFolder(t);
    const ask = await serve(t, built, folder);
    await ask('/portal/assets/page-b2.css');
    writeFileSync(join(folder, 'assets/page-b2.css'), 'other');
    rmSync(join(folder, 'assets/page-a1.js'));
    assert.equal((await ask('/portal/assets/page-b2.css')).body.toString(), built['assets/page-b2.css']);
    const { status, headers, body } = await ask('/portal/assets/page-a1.js');
    assert.deepEqual([status, headers['cache-control']], [404, 'no-store']);
    assert.equal(body.toString(), 'There is no such file.\n');
    writeFileSync(join(folder, 'assets/page-a1.js'), script);
    assert.equal((await ask('/portal/assets/page-a1.js')).status, 200);
    writeFileSync(join(folder, 'assets/page-new.js'), script);
    assert.equal((await ask('/portal/assets/page-new.js')).status, 404);
  });

  it('answer HEAD as GET, without the content', async (t) => {
    const ask = await serve(t);
    for (const path of ['/portal/', '/portal/assets/page-a1.js']) {
      const { status, headers, body } = await ask(path, { method: 'HEAD' });
      assert.deepEqual([status, body.length], [200, 0]);
      assert.ok(Number(headers['content-length']) > 0);
    }
  });

  it('say how the portal is built when it is not', async (t) => {
    const ask = await serve(t, {});
    const { status, headers, body } = await ask('/portal/settings/team');
    assert.deepEqual([status, headers['content-type']], [503, 'text/plain; charset=utf-8']);
    assert.match(body.toString(), /npm start builds it/);
    assert.equal((await ask('/portal/assets/page-a1.js')).status, 404);
    assert.equal((await ask('/')).status, 302);
  });
});
