import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withTree } from './temporary-tree.ts';

const setup = readFileSync(fileURLToPath(new URL('../setup.mjs', import.meta.url)), 'utf8');

/** A fake npm that records its calls and installs a working Node. */
const goodNpm = [
  '#!/bin/sh',
  'echo "$@" >> calls',
  'rm -rf node_modules && mkdir -p node_modules/.bin',
  "printf '#!/bin/sh\\nexit 0\\n' > node_modules/.bin/node && chmod +x node_modules/.bin/node",
].join('\n');

interface Machine {
  readonly root: string;
  readonly run: (
    mode: string,
    nodeFlags?: readonly string[],
  ) => { readonly status: number | null; readonly said: string };
  readonly npm: (script: string) => void;
  readonly calls: () => string[];
}

async function withMachine(use: (machine: Machine) => void): Promise<void> {
  await withTree({ 'tools/setup.mjs': setup, 'package-lock.json': '{}', 'bin/npm': goodNpm }, (root) => {
    const npm = (script: string): void => {
      writeFileSync(join(root, 'bin/npm'), script);
      chmodSync(join(root, 'bin/npm'), 0o755);
    };
    npm(goodNpm);
    use({
      root,
      npm,
      run: (mode, nodeFlags = []) => {
        const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env['PATH']}` };
        const program = [...nodeFlags, join(root, 'tools/setup.mjs'), mode];
        const { status, stderr } = spawnSync(process.execPath, program, { env, encoding: 'utf8' });
        return { status, said: stderr };
      },
      calls: () => {
        const file = join(root, 'calls');
        return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      },
    });
  });
}

function preload(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

const skip = process.platform === 'win32' ? 'the npm of this test is a shell script' : false;

describe('setup', { skip }, () => {
  it('refuses an old Node', () =>
    withMachine(({ run, calls }) => {
      const { status, said } = run(
        'runtime',
        preload("Object.defineProperty(process.versions, 'node', { value: '18.20.0' })"),
      );
      assert.equal(status, 1);
      assert.match(said, /needs Node 20 or newer, this is 18\.20\.0/);
      assert.deepEqual(calls(), []);
    }));

  it('says what to do when npm fails, and tries again the next time', () =>
    withMachine(({ run, npm, calls }) => {
      npm('#!/bin/sh\nmkdir -p node_modules; echo no network >&2; exit 7');
      const { status, said } = run('runtime');
      assert.equal(status, 1);
      assert.match(
        said,
        /no network\nThe dependencies could not be installed: .* run the same command again\.\n$/s,
      );
      npm(goodNpm);
      assert.equal(run('runtime').status, 0);
      assert.equal(calls().length, 1);
    }));

  it('explains that this platform has no Node, and does not take it for installed', () =>
    withMachine(({ run, npm }) => {
      npm('#!/bin/sh\nmkdir -p node_modules/.bin');
      const { status, said } = run(
        'runtime',
        preload("Object.defineProperty(process.features, 'typescript', { value: false })"),
      );
      assert.equal(status, 1);
      assert.match(said, /Install Node 24 or newer/);
      assert.equal(run('runtime').said, 'Installing dependencies (about 20 seconds, once)…\n');
    }));

  it('uses a Node that runs TypeScript, and puts one that does not start out of its way', () =>
    withMachine(({ root, run, npm }) => {
      npm(goodNpm.replace('exit 0', 'exit 127'));
      assert.equal(run('runtime').status, 0);
      assert.equal(existsSync(join(root, 'node_modules/.bin/node')), false);
    }));

  it('installs once, and once more for the tests', () =>
    withMachine(({ run, calls }) => {
      assert.deepEqual(run('runtime'), {
        status: 0,
        said: 'Installing dependencies (about 20 seconds, once)…\n',
      });
      assert.deepEqual(run('runtime'), { status: 0, said: '' });
      assert.equal(run('all').status, 0);
      assert.deepEqual(run('all'), { status: 0, said: '' });
      assert.deepEqual(run('runtime'), { status: 0, said: '' });
      const flags =
        'ci --no-fund --no-audit --loglevel=error --prefer-offline --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=3000 --include=optional';
      assert.deepEqual(calls(), [`${flags} --omit=dev`, `${flags} --include=dev`]);
    }));

  it('installs again when the lockfile has changed', () =>
    withMachine(({ root, run, calls }) => {
      run('all');
      writeFileSync(join(root, 'package-lock.json'), '{ }');
      run('all');
      assert.equal(calls().length, 2);
    }));
});
