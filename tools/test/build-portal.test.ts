import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type Tree, withTree } from './temporary-tree.ts';

const program = readFileSync(fileURLToPath(new URL('../build-portal.mjs', import.meta.url)), 'utf8');

/** A fake bundler that records its calls and builds a page from the source. */
const bundler = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const source = readFileSync('packages/portal/src/main.tsx', 'utf8');
const language = process.env.PORTAL_LANGUAGE === 'en' ? '' : process.env.PORTAL_LANGUAGE;
appendFileSync('calls', process.env.NODE_ENV + ' ' + source + (language && ' in ' + language) + '\\n');
if (source === 'broken') { console.error('main.tsx cannot be read'); process.exit(7); }
const folder = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(folder + '/assets', { recursive: true });
writeFileSync(folder + '/index.html', '<!doctype html>' + language);
writeFileSync(folder + '/manifest.json', '{}');
writeFileSync(folder + '/assets/small-1.js', source);
writeFileSync(folder + '/assets/large-2.js', source.repeat(1000));
`;

const tree: Tree = {
  'package.json': '{ "type": "module" }',
  'package-lock.json': '{}',
  'tools/build-portal.mjs': program,
  'node_modules/vite/bin/vite.js': bundler,
  'node_modules/vite/package.json': '{ "type": "module" }',
  'packages/portal/index.html': '<!doctype html>',
  'packages/portal/src/main.tsx': 'first',
  'packages/contract/src/index.ts': 'contract',
};

interface Repository {
  readonly run: () => { readonly status: number | null; readonly said: string };
  readonly calls: () => string[];
  readonly write: (file: string, text: string) => void;
  readonly read: (file: string) => Buffer;
  readonly has: (file: string) => boolean;
  readonly remove: (file: string) => void;
  /** Creates a folder. */
  readonly make: (folder: string) => void;
  readonly list: (folder: string) => string[];
}

function withRepository(use: (repository: Repository) => void): Promise<void> {
  return withTree(tree, (root) => {
    const run: Repository['run'] = () => {
      const env = { ...process.env, NODE_ENV: 'test' };
      const { status, stderr, stdout } = spawnSync(process.execPath, [join(root, 'tools/build-portal.mjs')], {
        env,
        encoding: 'utf8',
      });
      assert.equal(stdout, '');
      return { status, said: stderr };
    };
    use({
      run,
      calls: () =>
        existsSync(join(root, 'calls'))
          ? readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n')
          : [],
      write: (file, text) => writeFileSync(join(root, file), text),
      read: (file) => readFileSync(join(root, file)),
      has: (file) => existsSync(join(root, file)),
      remove: (file) => rmSync(join(root, file), { recursive: true }),
      make: (folder) => mkdirSync(join(root, folder), { recursive: true }),
      list: (folder) => readdirSync(join(root, folder)).toSorted(),
    });
  });
}

const announcement = 'Building the portal (about 10 seconds, once)…\n';

describe('the build of the portal', () => {
  it('says what was wrong, keeps the build before, and tries again the next time', () =>
    withRepository(({ run, write, read, list, calls }) => {
      run();
      write('packages/portal/src/main.tsx', 'broken');
      for (const attempt of [1, 2]) {
        const { status, said } = run();
        assert.equal(status, 1, String(attempt));
        assert.equal(said, `${announcement}main.tsx cannot be read\nThe portal could not be built.\n`);
      }
      assert.equal(calls().length, 3);
      assert.equal(read('packages/portal/dist/assets/small-1.js').toString(), 'first');
      assert.deepEqual(list('packages/portal'), ['dist', 'index.html', 'src']);
    }));

  it('is made once, whatever is set, and again when something that it is made of has changed', () =>
    withRepository(({ run, write, calls, list }) => {
      assert.deepEqual(run(), { status: 0, said: announcement });
      assert.deepEqual(run(), { status: 0, said: '' });
      write('packages/portal/src/main.tsx', 'second');
      assert.equal(run().said, announcement);
      write('packages/contract/src/more.ts', 'more');
      assert.equal(run().said, announcement);
      write('package-lock.json', '{ }');
      assert.equal(run().said, announcement);
      assert.deepEqual(run(), { status: 0, said: '' });
      assert.deepEqual(calls(), [
        'production first',
        ...Array.from({ length: 3 }, () => 'production second'),
      ]);
      assert.deepEqual(list('packages/portal'), ['dist', 'index.html', 'src']);
    }));

  it('is made again when it is gone, or was made by hand', () =>
    withRepository(({ run, remove, calls }) => {
      run();
      remove('packages/portal/dist');
      assert.equal(run().said, announcement);
      remove('packages/portal/dist/.built-from');
      assert.equal(run().said, announcement);
      assert.equal(calls().length, 3);
    }));

  it('adds each other language, whose equal files are there once', () =>
    withRepository(({ run, write, read, list, calls, make }) => {
      make('packages/portal/src/messages/en');
      make('packages/portal/src/messages/de');
      write('packages/portal/src/messages/audit-words.ts', 'words');
      assert.deepEqual(run(), { status: 0, said: announcement });
      assert.deepEqual(calls().toSorted(), ['production first', 'production first in de']);
      const folder = 'packages/portal/dist';
      assert.deepEqual(list(folder), [
        '.built-from',
        'assets',
        'index.de.html',
        'index.html',
        'manifest.de.json',
        'manifest.json',
      ]);
      assert.equal(read(`${folder}/index.de.html`).toString(), '<!doctype html>de');
      assert.deepEqual(list('packages/portal'), ['dist', 'index.html', 'src']);
    }));

  it('holds what is worth it compressed, too', () =>
    withRepository(({ run, read, has }) => {
      run();
      const folder = 'packages/portal/dist/assets';
      assert.deepEqual(gunzipSync(read(`${folder}/large-2.js.gz`)), read(`${folder}/large-2.js`));
      assert.equal(has(`${folder}/large-2.js.br`), true);
      assert.deepEqual([has(`${folder}/small-1.js.gz`), has(`${folder}/small-1.js.br`)], [false, false]);
    }));
});
