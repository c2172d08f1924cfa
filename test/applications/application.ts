import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptsConnections } from '@countersign/testing/accepts-connections';
import { freePort } from '@countersign/testing/free-port';
import { waitUntilUp } from '@countersign/testing/wait-until';

/** A running program that answers HTTP requests. */
export interface Application {
  readonly address: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** The way to start a program: its command, given a folder with its data and the port to listen on. */
export type Preparation = (place: { readonly folder: string; readonly port: number }) => {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** True if the program does not run as root: if the tests do, it runs as another user, who owns its folder. */
  readonly isUnprivileged?: boolean;
};

/** Starts a program with a folder of its own on a free port of 127.0.0.1. Resolves once it accepts connections. */
export async function startApplication(prepare: Preparation): Promise<Application> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-application-'));
  const port = await freePort();
  const { program, args, environment, isUnprivileged } = prepare({ folder, port });
  const user = isUnprivileged && process.getuid?.() === 0 ? nobody : undefined;
  if (user) spawnSync('chown', ['--recursive', `${user.uid}:${user.gid}`, folder]);
  const child = spawn(program, args, {
    cwd: folder,
    ...user,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended.catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilUp({ name: program, child, output: () => output }, () => acceptsConnections(port));
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: `http://127.0.0.1:${port}`, stop };
}

/** The user that Debian, like most systems, reserves for programs without files of their own. */
const nobody = { uid: 65_534, gid: 65_534 };

/** Returns why tests with these programs and files are skipped; false if all are installed. */
export function missing(...needed: readonly string[]): string | false {
  const absent = needed.filter((one) =>
    one.startsWith('/') ? !existsSync(one) : spawnSync(one, ['--version']).error !== undefined,
  );
  return absent.length > 0 && `not installed: ${absent.join(', ')}`;
}
