import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './installed-packages.ts';

/**
 * Fetches an exact version of a package with npm, without dependencies and scripts, and keeps it until the
 * next `npm ci`. Not a dependency of the workspace, because its commands would replace ours.
 *
 * @returns its folder; undefined if npm cannot fetch it
 */
export async function fetchPackage(name: string, version: string): Promise<string | undefined> {
  const place = join(root, 'node_modules/.cache/countersign', `${name}-${version}`);
  const folder = join(place, 'node_modules', name);
  if (existsSync(folder)) return folder;
  const draft = `${place}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)));
  const argv = [
    'install',
    '--ignore-scripts',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    // Some networks never respond: npm would wait a quarter of an hour.
    '--fetch-retries=1',
    '--fetch-timeout=60000',
    `${name}@${version}`,
  ];
  const shell = process.platform === 'win32';
  const ended = once(spawn('npm', argv, { cwd: draft, env, shell, stdio: 'ignore' }), 'close');
  try {
    const [code] = await ended.catch(() => [null]);
    if (code !== 0 || !existsSync(join(draft, 'node_modules', name))) return undefined;
    try {
      renameSync(draft, place);
    } catch (error) {
      // Another run may have been faster.
      if (!existsSync(folder)) throw error;
    }
    return folder;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
