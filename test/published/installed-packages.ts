import { execFile } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from '../../tools/build/build-package.ts';
import { publishedPackages } from '../../tools/build/published-packages.ts';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Our packages in a project of somebody else. */
export interface InstalledPackages {
  /** The folder of the project. */
  readonly project: string;
  /** Starts a program in the project. It inherits nothing of the npm that runs these tests. */
  readonly run: (program: string, argv: readonly string[], input?: string) => Promise<Ended>;
  readonly remove: () => void;
}

/** The packages that need nothing but each other. */
export const libraries: readonly string[] = ['packages/signature', 'packages/cli'];

/**
 * Builds and packs packages that are published, and installs the tarballs, without a network, far away from the
 * repository. What they depend on is packed from where the repository has it.
 *
 * @param folders the packages, by their folders in the repository
 */
export async function installPackages(folders: readonly string[]): Promise<InstalledPackages> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-published-')));
  const project = join(folder, 'project');
  const run = runnerIn(project, folder);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(project);
    writeFileSync(
      join(project, 'package.json'),
      '{ "name": "project", "private": true, "type": "module" }\n',
    );
    const tarballs = join(folder, 'tarballs');
    mkdirSync(tarballs);
    const builds: string[] = [];
    for (const published of publishedPackages.filter((each) => folders.includes(each.folder))) {
      const build = join(folder, 'build', published.folder);
      await buildPackage(root, published, build);
      builds.push(build);
    }
    const packed = [...builds, ...dependenciesOf(builds)];
    await succeed(run('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs, ...packed]));
    const files = readdirSync(tarballs).map((name) => join(tarballs, name));
    await succeed(
      run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...files]),
    );
    return { project, run, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The folders of all that the packages depend on, directly or not, and that the repository has from elsewhere. */
function dependenciesOf(builds: readonly string[]): string[] {
  const modules = join(root, 'node_modules');
  const found = new Set<string>();
  // The list grows while it is walked.
  const folders = [...builds];
  for (const folder of folders) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      const source = join(modules, name);
      if (found.has(source) || lstatSync(source).isSymbolicLink()) continue;
      found.add(source);
      folders.push(source);
    }
  }
  return [...found];
}

function runnerIn(project: string, folder: string): InstalledPackages['run'] {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|countersign_|node_options$|node_test_context$|init_cwd$)/i.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    // An empty cache: nothing that somebody installed before can stand in for what is missing.
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
