import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingProgram, root, signerPackages, startScript } from '../signers/packages.ts';
import { openProgram, type Program } from './program.ts';

/** A language of the table. */
export interface Language {
  readonly name: string;
  /** The page that names the errors of its signer. */
  readonly readme: string;
  /** The program that this machine lacks; false if none. */
  readonly missing: string | false;
  /** Starts its program. */
  open(credentials: Credentials, workers: number): Promise<Program>;
}

export interface Credentials {
  readonly clientId: string;
  readonly privateKeyFile: string;
}

const javascriptProgram = fileURLToPath(new URL('javascript-program.ts', import.meta.url));

const javascript: Language = {
  name: 'javascript',
  readme: join(root, 'packages/client/README.md'),
  missing: false,
  open: (credentials, workers) =>
    openProgram(
      'javascript',
      spawn(process.execPath, [javascriptProgram], {
        env: { ...process.env, ...environmentOf(credentials, workers) },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    ),
};

/** All languages, JavaScript first. */
export const languages: readonly Language[] = [
  javascript,
  ...signerPackages().map((one) => ({
    name: one.language,
    readme: join(one.folder, 'README.md'),
    missing: missingProgram(one),
    open: (credentials: Credentials, workers: number) =>
      openProgram(one.language, startScript(one, 'live.sh', environmentOf(credentials, workers))),
  })),
];

function environmentOf({ clientId, privateKeyFile }: Credentials, workers: number): Record<string, string> {
  return { CLIENT_ID: clientId, PRIVATE_KEY_FILE: privateKeyFile, WORKERS: String(workers) };
}
