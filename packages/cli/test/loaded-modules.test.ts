import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { listLoadedModules } from '@countersign/testing/loaded-modules';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { commandLoaders, loadCommands } from '../src/commands/load-command.ts';
import { program } from './run.ts';

/** Runs the command line and returns the modules that it loads, without Node's own. */
async function modulesOf(t: TestContext, ...argv: string[]): Promise<readonly string[]> {
  const folder = temporaryFolder(t);
  const { environment, list } = listLoadedModules(folder);
  const env = { ...process.env, ...environment };
  await promisify(execFile)(process.execPath, [program, ...argv], { cwd: folder, env });
  return list().filter((url) => !url.startsWith('node:'));
}

describe('the command line loads', () => {
  for (const argv of [['--version'], ['--help'], ['help', 'keygen'], ['clients', 'add', '--help']])
    it(`nothing but its launcher for ${argv.join(' ')}`, async (t) => {
      const modules = await modulesOf(t, ...argv);
      assert.deepEqual(
        modules.map((url) => basename(url)),
        ['countersign.js'],
      );
    });

  it('only what a command uses', async (t) => {
    const modules = await modulesOf(t, 'keygen', '--bits', '2048', '--out', 'key.pem');
    assert.ok(modules.some((url) => url.endsWith('/packages/cli/src/commands/keygen.ts')));
    const others =
      /\/packages\/(?:explain|server|contract|gate)\/|\/cli\/src\/(?:doctor|proxy|rotation|registry|sending|verifying|explaining)\//;
    assert.deepEqual(
      modules.filter((url) => others.test(url)),
      [],
    );
  });

  it('each command by its name, in the order of the help', async () => {
    assert.deepEqual(
      Object.keys(commandLoaders),
      (await loadCommands()).map(({ name }) => name),
    );
  });
});
