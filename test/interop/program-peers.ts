import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Peer,
  type PeerResult,
  registered,
} from '../../packages/signature/test/messages/interop-peers.ts';
import type { StandardPeer } from './webhook-peers.ts';

/** A library in another language, behind a program in a folder of its own. */
interface ProgramPeer {
  readonly name: string;
  readonly folder: string;
  /** The program that builds or runs it. */
  readonly needs: string;
  readonly algorithms: Peer['algorithms'];
  readonly profiles?: NonNullable<Peer['profiles']>;
  readonly checksBody?: true;
  readonly parameterOrder?: NonNullable<Peer['parameterOrder']>;
  /** The library of Standard Webhooks that the program verifies with too. */
  readonly standardName?: string;
}

export type ProgramLanguage = 'adcp' | 'fedify' | 'go' | 'python' | 'rust';

const programPeers: Readonly<Record<ProgramLanguage, ProgramPeer>> = {
  adcp: {
    name: 'adcp, profile 3.2 (PyPI)',
    folder: 'adcp',
    needs: 'python3',
    algorithms: ['ed25519', 'ecdsa-p256-sha256'],
    profiles: ['adcp32'],
    checksBody: true,
  },
  fedify: {
    name: '@fedify/fedify (npm)',
    folder: 'fedify',
    needs: 'npm',
    algorithms: ['rsa-v1_5-sha256'],
    profiles: ['mastodon45'],
    checksBody: true,
  },
  python: {
    name: 'http-message-signatures (PyPI)',
    folder: 'python',
    needs: 'python3',
    algorithms: [...registered, 'PS256'],
    checksBody: true,
    standardName: 'standardwebhooks (PyPI)',
  },
  go: {
    name: 'httpsign (Go)',
    folder: 'go',
    needs: 'go',
    algorithms: [...registered, 'PS256'],
    checksBody: true,
    standardName: 'standard-webhooks/libraries (Go)',
  },
  rust: {
    name: 'httpsig-hyper (crates.io)',
    folder: 'rust',
    needs: 'cargo',
    algorithms: registered,
    parameterOrder: ['created', 'expires', 'nonce', 'alg', 'keyid', 'tag'],
  },
};

/** The languages, by name, and what is too large to be installed for a test. */
export const programLanguages: readonly ProgramLanguage[] = ['go', 'python', 'rust'];
export const largePrograms: readonly ProgramLanguage[] = ['adcp', 'fedify'];

/** Returns the library in a language. */
export function programPeer(language: ProgramLanguage): Peer {
  const { folder, needs: _needs, standardName: _standardName, ...facts } = programPeers[language];
  return { ...facts, run: (tasks) => runProgram(folder, tasks) };
}

/** Returns the library of Standard Webhooks in a language; undefined if its program has none. */
export function programStandardPeer(language: ProgramLanguage): StandardPeer | undefined {
  const { folder, standardName } = programPeers[language];
  return standardName === undefined
    ? undefined
    : { name: standardName, run: (tasks) => runProgram(folder, tasks) };
}

/** Names the program that a language lacks on this machine; false if none. */
export function missingFor(language: ProgramLanguage): string | false {
  const { needs } = programPeers[language];
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.some((folder) => existsSync(join(folder, needs))) ? false : `${language} needs ${needs}`;
}

/** Runs the program in a folder beside this file: one line of JSON for each task, and one for each result. */
export async function runProgram<Result = PeerResult>(
  folder: string,
  tasks: readonly object[],
): Promise<readonly Result[]> {
  const cwd = fileURLToPath(new URL(folder, import.meta.url));
  const child = spawn(join(cwd, 'run.sh'), { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  let problems = '';
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => (problems = (problems + chunk.toString()).slice(-20_000)));
  // A program that cannot be built closes its input; its exit code says so.
  child.stdin.on('error', () => undefined);
  child.stdin.end(tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${folder}/run.sh ended with ${code}:\n${problems}`);
  const results = Buffer.concat(output).toString().trimEnd().split('\n');
  if (results.length !== tasks.length)
    throw new Error(`${folder} has ${results.length} results of ${tasks.length} tasks:\n${problems}`);
  return results.map((line) => JSON.parse(line) as Result);
}
