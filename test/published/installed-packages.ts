import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackages } from '../../tools/build/build-package.ts';
import { type PublishedPackage, publishedPackages } from '../../tools/build/published-packages.ts';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Our packages, installed in a user's project. */
export interface InstalledPackages {
  /** The project's folder. */
  readonly project: string;
  /** Runs a program in the project, without the environment of the npm that runs these tests. */
  readonly run: (program: string, argv: readonly string[], input?: string) => Promise<Ended>;
  readonly remove: () => void;
}

/** Packages that depend only on each other. */
export const libraries: readonly string[] = [
  'packages/signature',
  'packages/explain',
  'packages/cli',
  'packages/middleware',
  'packages/upstream',
  'packages/client',
  'packages/key-store',
  'packages/pkcs11',
  'packages/vault',
  'packages/azure-key-vault',
];

/**
 * Builds, packs and installs published packages offline, outside the repository: npm fails if one needs
 * anything that is not bundled.
 *
 * @param folders of the packages, relative to the repository
 */
export async function installPackages(folders: readonly string[]): Promise<InstalledPackages> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-published-')));
  const project = join(folder, 'project');
  const run = runnerIn(project, folder);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(project);
    const tarballs = join(folder, 'tarballs');
    mkdirSync(tarballs);
    const chosen = publishedPackages.filter((each) => folders.includes(each.folder));
    const buildOf = (published: PublishedPackage): string => join(folder, 'build', published.folder);
    await buildPackages(root, chosen, buildOf);
    writeFileSync(
      join(project, 'package.json'),
      `${JSON.stringify({ name: 'project', private: true, type: 'module' })}\n`,
    );
    await succeed(
      run('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs, ...chosen.map(buildOf)]),
    );
    const paths = readdirSync(tarballs).map((name) => join(tarballs, name));
    await succeed(
      run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...paths]),
    );
    return { project, run, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function runnerIn(project: string, folder: string): InstalledPackages['run'] {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|countersign_|node_options$|node_test_context$|init_cwd$)/i.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    // An empty cache: earlier installations cannot hide a missing package.
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
    XDG_STATE_HOME: join(folder, 'state'),
  };
  return (program, argv, input = '') =>
    new Promise((resolve) => {
      // npm is a shell script on Windows.
      const shell = process.platform === 'win32' && /^np[mx]$/.test(program);
      const child = execFile(program, argv, { cwd: project, env, shell }, (error, out, errors) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
        resolve({ code, out, errors: errors || (error && code < 0 ? error.message : '') });
      });
      child.stdin?.on('error', () => undefined).end(input);
    });
}

async function succeed(running: Promise<Ended>): Promise<void> {
  const { code, out, errors } = await running;
  if (code !== 0) throw new Error(`npm ended with ${code}: ${out}${errors}`);
}
