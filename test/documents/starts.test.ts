import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { waitFor } from '@countersign/testing/wait-until';
import { freshClone } from './fresh-clone.ts';
import { readDocument } from './run-block.ts';
import { readerEnvironment, root } from './reader-folder.ts';

/* The commands in documents that start the service, as a reader types them into a fresh clone. */

/** Everything that starts the service. Commands of other programs, and of installed packages, are not among them. */
const startsService = /^[^#]*(?:npm start|packages\/server\/src\/main\.ts)/m;

const starting = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .flatMap((path) =>
    readDocument(path)
      .markdown.fences.filter(({ words, text }) => words[0] === 'sh' && startsService.test(text))
      .map(({ text, line }) => ({ path, line, text })),
  );

describe(
  'the commands that start the service',
  { skip: process.platform === 'win32' && 'they need a POSIX shell' },
  () => {
    let clone: ReturnType<typeof freshClone>;
    const api = createServer((_, response) => response.end('hello'));
    before(async () => {
      clone = freshClone();
      writeFileSync(join(clone.folder, 'openapi.yaml'), openapi);
      api.listen(0, '127.0.0.1');
      await once(api, 'listening');
    });
    after(() => {
      api.close();
      clone.remove();
    });

    it('are in these documents', () => {
      assert.deepEqual(
        starting.map(({ path }) => path),
        [
          'README.md',
          'README.md',
          'README.md',
          'docs/authorizers.md',
          'docs/gateway.md',
          'docs/gateway.md',
          'docs/operations/start.md',
        ],
      );
    });

    for (const { path, line, text } of starting) {
      it(`start it with its portal: ${path}:${line}`, async (t) => {
        const [port, apiPort, authorizerPort] = [await freePort(), await freePort(), await freePort()];
        const { port: upstreamPort } = api.address() as AddressInfo;
        const commands = text.replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${upstreamPort}`);
        const child = spawn('sh', ['-e', '-c', npm + commands], {
          cwd: clone.folder,
          env: {
            ...readerEnvironment(),
            PATH: `${join(clone.folder, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
            COUNTERSIGN_PORT: String(port),
            COUNTERSIGN_API_PORT: String(apiPort),
            COUNTERSIGN_AUTHORIZER_PORT: String(authorizerPort),
            COUNTERSIGN_DATA_FOLDER: join(clone.folder, `data-${port}`),
          },
          stdio: ['ignore', 'pipe', 'pipe'],
          // The shell and the service get signals together, as from a terminal.
          detached: true,
        });
        const closed = once(child, 'close');
        t.after(async () => {
          if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
          await closed;
        });
        let printed = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
        await waitFor(
          () => {
            if (child.exitCode !== null) assert.fail(printed);
            return printed.includes('Ctrl-C stops it.') || undefined;
          },
          () => printed,
        );
        assert.doesNotMatch(printed, /cannot|undefined/);
        const page = await fetch(`http://127.0.0.1:${port}/portal/`);
        assert.equal(page.status, 200, await page.text());
        assert.match(page.headers.get('content-type') ?? '', /html/);
        process.kill(-child.pid!, 'SIGINT');
        await closed;
        assert.match(printed, /stopped\.\n/);
      });
    }
  },
);

/**
 * The parts of npm that a start needs: it installs nothing, because the clone has everything already, and
 * runs scripts without setup.
 */
const npm = `npm() {
  case "$1 $2" in
    'ci --omit=dev') ;;
    'start '*)
      shift; [ "$1" != -- ] || shift
      ${script('prestart').replace('node tools/setup.mjs runtime && ', '')}
      ${script('start')} "$@" ;;
    *) echo "npm $* is not expected here"; exit 1 ;;
  esac
}
`;

function script(name: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return scripts[name] ?? assert.fail(name);
}

const openapi = `openapi: 3.0.0
info: { title: Shop, version: '1' }
paths:
  /orders:
    get: { operationId: listOrders, responses: { '200': { description: OK } } }
`;
