import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from '../../tools/build/build-package.ts';
import { publishedPackages } from '../../tools/build/published-packages.ts';

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
];

/**
 * Builds, packs and installs published packages offline, outside the repository. Their dependencies are copied there first, so npm
 * fails if one is missing or has another version.
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
    const builds: Installed[] = [];
    for (const published of publishedPackages.filter((each) => folders.includes(each.folder))) {
      const build = join(folder, 'build', published.folder);
      await buildPackage(root, published, build);
      builds.push({ folder: build, origin: join(root, published.folder) });
    }
    writeFileSync(
      join(project, 'package.json'),
      `${JSON.stringify({ name: 'project', private: true, type: 'module' })}\n`,
    );
    for (const dependency of dependenciesOf(builds)) await lay(dependency, project);
    const packed = builds.map((build) => build.folder);
    await succeed(run('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs, ...packed]));
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

interface Dependency {
  /** In the repository. */
  readonly source: string;
  /** In the project: nested below the one package that needs this version if others need another. */
  readonly target: string;
}

/** Copies a package to where npm would install it. */
async function lay({ source, target }: Dependency, project: string): Promise<void> {
  const isOwn = (path: string): boolean => !path.slice(source.length).includes('node_modules');
  await cp(source, join(project, target), { recursive: true, filter: isOwn });
  const { name, bin = {} } = manifestIn(source);
  const commands = join(project, target.slice(0, target.length - name.length), '.bin');
  mkdirSync(commands, { recursive: true });
  // A package whose commands are missing would be fetched again.
  for (const command of typeof bin === 'string' ? [name] : Object.keys(bin))
    writeFileSync(join(commands, command), '');
}

/** Lists all third-party dependencies of the packages, direct and indirect. */
function dependenciesOf(builds: readonly Installed[]): readonly Dependency[] {
  const found = new Map<string, Dependency>();
  const others = new Map<string, Dependency>();
  // The list grows while it is walked.
  const folders = [...builds];
  for (const { folder, origin } of folders) {
    const { name: dependent, dependencies = {} } = manifestIn(folder);
    for (const name of Object.keys(dependencies)) {
      const source = placeOf(name, origin);
      if (found.get(name)?.source === source || others.has(source)) continue;
      if (lstatSync(source).isSymbolicLink()) continue;
      const target = join('node_modules', name);
      if (found.has(name)) others.set(source, { source, target: join('node_modules', dependent, target) });
      else found.set(name, { source, target });
      folders.push({ folder: source, origin: source });
    }
  }
  return [...found.values(), ...others.values()];
}

interface Manifest {
  readonly name: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** A package, and the folder from which its imports resolve. */
interface Installed {
  readonly folder: string;
  readonly origin: string;
}

/** Resolves a package as Node does: in the folder, or in one above it. */
function placeOf(name: string, origin: string): string {
  for (let folder = origin; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (folder === join(root, '.') || `${folder}/` === root || existsSync(place)) return place;
  }
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
