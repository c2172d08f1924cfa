import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { exits } from '../src/exits.ts';
import { openRotationScene, type RotationScene, textOf } from './rotation-scene.ts';
import { program, programEnvironment } from './run.ts';

const skip = process.platform === 'win32' && 'there is no SIGKILL';

const killAt = new URL('kill-at.mjs', import.meta.url).href;

/** Runs the program until its n-th step. Returns the signal that ended it, or null if it has fewer steps. */
async function killed(
  { folder, environment }: RotationScene & { readonly environment: Readonly<Record<string, string>> },
  argv: readonly string[],
  step: number,
): Promise<string | null> {
  const child = spawn(
    process.execPath,
    ['--import', killAt, program, 'rotate', '--credentials', 'credentials.json', ...argv],
    {
      cwd: folder,
      env: { ...programEnvironment, ...environment, KILL_AT: String(step) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal === null) assert.equal(code, 0, errors);
  return signal;
}

interface Case {
  readonly argv: readonly string[];
  /** The state of the client's keys after a rotation. */
  readonly statuses: readonly string[];
}

const cases: readonly Case[] = [
  { argv: ['--overlap', '1h'], statuses: ['retiring', 'active'] },
  { argv: ['--overlap', '0'], statuses: ['active'] },
];

/** Kills a rotation at one step, and completes it. Returns false if it has fewer steps. */
async function round(scene: RotationScene, { argv, statuses }: Case, step: number): Promise<boolean> {
  const previous = textOf(scene.keyFile);
  // Rounds follow faster than equal requests may: each remembers its own.
  const environment = { XDG_STATE_HOME: `${scene.folder}/state/${step}` };
  if ((await killed({ ...scene, environment }, argv, step)) === null) return false;
  assert.ok(await scene.isAccepted({ environment }), 'the key file is not accepted after the kill');
  const again = await scene.rotate(argv, { environment });
  // A kill after everything was done leaves nothing to complete, and no room for another rotation.
  assert.ok(again.code === exits.ok.code || /two usable keys/.test(again.errors), again.errors);
  assert.notEqual(textOf(scene.keyFile), previous);
  assert.ok(await scene.isAccepted({ environment }), 'the key file is not accepted at the end');
  const keys = await scene.usableKeys();
  assert.deepEqual(
    keys.map(({ status }) => status),
    statuses,
  );
  assert.deepEqual(scene.files(), ['credentials.json', 'private.pem']);
  // The next round needs room for another key.
  const [old] = keys.filter(({ status }) => status === 'retiring');
  if (old) await scene.running.change((registry) => registry.revokeKey(scene.clientId, old.keyId));
  return true;
}

describe('countersign rotate, killed', { skip }, () => {
  for (const one of cases) {
    it(`at each step and run again, ends with one valid key: ${one.argv.join(' ')}`, async (t) => {
      // Each round makes two keys, and RSA keys take long.
      const scene = await openRotationScene(t, { algorithm: 'ed25519' });
      let step = 1;
      const next = (): Promise<boolean> =>
        round(scene, one, step).catch((error: unknown) => {
          throw new Error(`step ${step}: ${String(error)}`, { cause: error });
        });
      while (await next()) step += 1;
      t.diagnostic(`${step - 1} kills`);
      assert.ok(step > 20, `only ${step - 1} kills`);
    });
  }
});
