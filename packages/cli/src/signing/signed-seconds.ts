import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { Io } from '../terminal/io.ts';

/** How far `created` may be raised above the clock; half of what the service allows. */
const aheadSecondsMax = 30;
/** Older than this no service accepts a signature. */
const rememberSeconds = 420;

/**
 * Takes the first second from now on in which this user has not signed an equal request yet, and remembers it.
 *
 * Equal requests of one second have the same signature, and the service takes the second one for a replay. A signer
 * keeps that in mind, but every call of this program is a new process, so the seconds are empty files in the user's
 * state folder: making a file that must not exist yet is one step, also between processes. Where no file can be made,
 * now is returned and nothing is remembered.
 */
export async function takeSecond(equalParts: readonly string[], io: Io): Promise<number> {
  const nowSeconds = Math.floor(io.nowMs() / 1000);
  const folder = stateFolder(io);
  const name = createHash('sha256').update(equalParts.join('\0')).digest('hex').slice(0, 32);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await forgetOld(folder, nowSeconds);
    for (let second = nowSeconds; second <= nowSeconds + aheadSecondsMax; second++) {
      if (await isMade(join(folder, `${name}.${second}`))) return second;
    }
  } catch {
    return nowSeconds;
  }
  throw new CommandError(
    'local',
    'too_many_equal_requests',
    `More than ${aheadSecondsMax} equal requests within a moment: each needs a second of its own. Wait a second, or make them differ.`,
  );
}

async function isMade(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function forgetOld(folder: string, nowSeconds: number): Promise<void> {
  const old = (await readdir(folder)).filter((name) => {
    const second = Number(/^[0-9a-f]{32}\.(\d+)$/.exec(name)?.[1]);
    return second < nowSeconds - rememberSeconds;
  });
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}

function stateFolder(io: Io): string {
  const { XDG_STATE_HOME: stateHome, LOCALAPPDATA: localData } = io.environment;
  return join(stateHome || localData || join(homedir(), '.local', 'state'), 'countersign', 'signed');
}
