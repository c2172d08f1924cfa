import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** A program that outlived the test file that started it. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** A program that was told to end may need a moment more than the test that told it. */
const graceMs = 5000;
const everyMs = 20;

/**
 * Waits for the programs that a test file started, and kills those that stay. They are known by their session, which is that of
 * the test process, or by the folder for temporary files that their environment names. Only Linux tells; elsewhere none is found.
 *
 * @returns what had to be killed
 */
export async function endLeftovers(session: number, temporaryFolder: string): Promise<readonly Leftover[]> {
  const find = (): Leftover[] => leftoversOf(session, temporaryFolder);
  let left = find();
  for (let waitedMs = 0; left.length > 0 && waitedMs < graceMs; waitedMs += everyMs) {
    await wait(everyMs);
    left = find();
  }
  for (const { pid } of left) kill(pid);
  // Until they are gone, their ports and files are not free for the next test file.
  while (find().length > 0) await wait(everyMs);
  return left;
}

function leftoversOf(session: number, temporaryFolder: string): Leftover[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const stat = read(`/proc/${entry}/stat`);
      // pid (command) state ppid pgrp session: the command may hold anything, so count from its last bracket.
      const [state, , , itsSession] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // A zombie is only waiting for its parent to look.
      if (state === undefined || state === '' || state === 'Z' || Number(entry) === process.pid) return [];
      const isLeft =
        Number(itsSession) === session ||
        read(`/proc/${entry}/environ`).includes(`TMPDIR=${temporaryFolder}\0`);
      if (!isLeft) return [];
      const command = read(`/proc/${entry}/cmdline`).replaceAll('\0', ' ').trim();
      return [
        { pid: Number(entry), command: command === '' ? stat.replace(/^.*\((.*)\).*$/s, '$1') : command },
      ];
    });
}

/** Empty when the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
