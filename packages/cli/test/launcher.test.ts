import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { commandHelp, commandHelpFile } from '../../../tools/documents/command-help.ts';
import { program, run, runProgram } from './run.ts';

const skip = process.platform === 'win32' && 'the stand-in for Node is a shell script';

/** A Node without type stripping, like an older version. */
const olderNode = [process.execPath, '--no-experimental-strip-types'];

/** A repository with just the launcher and a one-line command line, with or without its own Node. */
function repository(context: TestContext, mainLine: string, withNode: boolean): string {
  const folder = temporaryFolder(context);
  const launcher = join(folder, 'packages/cli/bin/countersign.js');
  const main = join(folder, 'packages/cli/src/main.ts');
  const node = join(folder, 'node_modules/.bin/node');
  for (const file of [launcher, main, node]) mkdirSync(dirname(file), { recursive: true });
  cpSync(program, launcher);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(main, `export async function main(argv: string[]): Promise<number> { ${mainLine} }\n`);
  if (withNode) {
    writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    chmodSync(node, 0o755);
  }
  return launcher;
}

async function start(
  command: readonly string[],
  onLine?: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<{ code: number | null; signal: string | null; out: string; errors: string }> {
  const [file = '', ...argv] = command;
  const child = spawn(file, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    onLine?.((signal) => child.kill(signal));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, out, errors };
}

describe('the launcher', { skip }, () => {
  it('says which Node is needed when there is none', async (context) => {
    const launcher = repository(context, 'return 0;', false);
    const { code, errors } = await start([...olderNode, launcher]);
    assert.equal(code, 4);
    assert.match(errors, /cannot run TypeScript\. Install Node 24 or newer, or run "npm ci"/);
  });

  it('runs on the Node of the repository when this one is too old, with arguments and exit code', async (context) => {
    const launcher = repository(context, 'console.log(JSON.stringify(argv)); return 7;', true);
    const { code, out, errors } = await start([...olderNode, launcher, 'a b', '', "it's", '--x']);
    assert.equal(code, 7, errors);
    assert.deepEqual(JSON.parse(out), ['a b', '', "it's", '--x']);
  });

  it('passes signals on, and ends by them', async (context) => {
    const wait = `console.log('ready'); await new Promise((resolve) => setTimeout(resolve, 20_000)); return 0;`;
    const launcher = repository(context, wait, true);
    const ended = await start([...olderNode, launcher], (kill) => kill('SIGTERM'));
    assert.equal(ended.signal, 'SIGTERM');
  });

  it('prefers the build of a published package', async (context) => {
    const launcher = repository(context, 'return 7;', false);
    const built = join(dirname(launcher), '../dist/main.js');
    mkdirSync(dirname(built));
    writeFileSync(built, 'export const main = async () => 3;\n');
    assert.equal((await start([...olderNode, launcher])).code, 3);
  });

  it('starts the command line here', async (context) => {
    const { code, out } = await runProgram(['--version'], { folder: temporaryFolder(context) });
    assert.equal(code, 0);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
  });

  it('answers --help without anything installed, and without loading a command', async (context) => {
    const launcher = repository(context, 'return 7;', false);
    cpSync(fileURLToPath(commandHelpFile), join(dirname(launcher), 'help.json'));
    for (const node of [olderNode, [process.execPath]]) {
      for (const argv of [['--help'], ['clients', '--help'], ['help', 'clients', 'add'], ['rotate', '-h']]) {
        const { code, out, errors } = await start([...node, launcher, ...argv]);
        assert.equal(code, 0, errors);
        assert.equal(out, (await run(argv, { folder: temporaryFolder(context) })).out);
      }
    }
    assert.equal((await start([process.execPath, launcher, 'keygen', '--out', 'x', '--help'])).code, 7);
    assert.equal((await start([process.execPath, launcher, '--help', 'toString'])).code, 7);
    assert.equal((await start([process.execPath, launcher])).code, 7);
  });

  it('has the help of all commands', () => {
    assert.equal(readFileSync(commandHelpFile, 'utf8'), commandHelp(), 'npm run docs:help writes it');
  });

  it('is quiet when nobody reads what it prints', async () => {
    const { code, errors } = await start([
      'sh',
      '-c',
      `'${process.execPath}' '${program}' --help | true; wait`,
    ]);
    assert.equal(code, 0);
    assert.equal(errors, '');
  });
});
