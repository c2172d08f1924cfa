import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** A program that outlived the test file that started it. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** A program that was asked to end may need a moment more than the test. */
const graceMs = 5000;
const everyMs = 20;

/**
 * Waits for the programs that a test file started, and kills those that stay. They are recognized by their
 * session, which is the test process's, or by the temporary folder in their environment. Only Linux shows
 * this; elsewhere none is found.
 *
 * @returns the killed programs
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
      // pid (command) state ppid pgrp session: the command may contain anything, so parse from its last bracket.
      const [state, , , itsSession] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // A zombie is only waiting for its parent to read its status.
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

/** Empty if the process has ended meanwhile. */
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
