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
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
    const tarballs = join(folder, 'tarballs');
    mkdirSync(tarballs);
    const builds: Installed[] = [];
    for (const published of publishedPackages.filter((each) => folders.includes(each.folder))) {
      const build = join(folder, 'build', published.folder);
      await buildPackage(root, published, build);
      builds.push({ folder: build, origin: join(root, published.folder) });
    }
    const { usual, others } = dependenciesOf(builds);
    const packed = [...builds.map((build) => build.folder), ...usual, ...others.map(({ source }) => source)];
    await succeed(run('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs, ...packed]));
    const asides = new Map(
      others.map(({ source, dependent }) => [tarballName(source), { source, dependent }]),
    );
    writeFileSync(join(project, 'package.json'), projectManifest(tarballs, asides));
    const files = readdirSync(tarballs).filter((name) => !asides.has(name));
    const paths = files.map((name) => join(tarballs, name));
    await succeed(
      run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...paths]),
    );
    return { project, run, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

interface Dependencies {
  /** The folders of all that the packages depend on, directly or not, and that the repository has from elsewhere. */
  readonly usual: readonly string[];
  /** Further versions of these, each with the name of the package that needs it. */
  readonly others: readonly { readonly source: string; readonly dependent: string }[];
}

function dependenciesOf(builds: readonly Installed[]): Dependencies {
  const found = new Map<string, string>();
  const others = new Map<string, string>();
  // The list grows while it is walked.
  const folders = [...builds];
  for (const { folder, origin } of folders) {
    const { name: dependent, dependencies = {} } = manifestIn(folder);
    for (const name of Object.keys(dependencies)) {
      const source = placeOf(name, origin);
      if ([...found.values()].includes(source) || others.has(source)) continue;
      if (lstatSync(source).isSymbolicLink()) continue;
      if (found.has(name)) others.set(source, dependent);
      else found.set(name, source);
      folders.push({ folder: source, origin: source });
    }
  }
  return {
    usual: [...found.values()],
    others: [...others].map(([source, dependent]) => ({ source, dependent })),
  };
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The name that `npm pack` gives to the tarball of a package. */
function tarballName(folder: string): string {
  const { name, version } = manifestIn(folder);
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** With a tarball for each package that needs another version of something than the others do. */
function projectManifest(
  tarballs: string,
  asides: ReadonlyMap<string, Dependencies['others'][number]>,
): string {
  const overrides: Record<string, Record<string, string>> = {};
  for (const [tarball, { source, dependent }] of asides) {
    (overrides[dependent] ??= {})[manifestIn(source).name] = `file:${join(tarballs, tarball)}`;
  }
  return `${JSON.stringify({ name: 'project', private: true, type: 'module', overrides })}\n`;
}

/** A package, and where what it imports is looked for. */
interface Installed {
  readonly folder: string;
  readonly origin: string;
}

/** Where Node finds a package that is imported in a folder of the repository: there, or in a folder above. */
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
