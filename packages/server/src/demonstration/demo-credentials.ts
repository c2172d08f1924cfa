import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../configuration/load.ts';
import type { DemoCredentials } from '../identity/identity.ts';

/** The demo's people, stored in a file that only its owner can read. */
export interface DemoPeople {
  readonly owner: DemoCredentials;
  readonly operator: DemoCredentials;
}

export function demoPeopleFile(dataFolder: string): string {
  return join(dataFolder, 'demo', 'people.json');
}

/** Reads the demo's people; undefined before its first start. */
export function readDemoPeople(dataFolder: string): DemoPeople | undefined {
  try {
    return JSON.parse(readFileSync(demoPeopleFile(dataFolder), 'utf8')) as DemoPeople;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the demo owner's credentials for the button on the sign-in page: only in demo mode, and only if the page can
 * be reached from this machine alone, directly or through a proxy.
 */
export function demoCredentials({
  demonstration,
  host,
  publicBaseUrls,
  dataFolder,
}: Pick<Configuration, 'demonstration' | 'host' | 'publicBaseUrls' | 'dataFolder'>):
  | DemoCredentials
  | undefined {
  const names = [host, ...publicBaseUrls.map((baseUrl) => new URL(baseUrl).hostname)];
  if (!demonstration || !names.every((name) => loopback.has(name))) return undefined;
  return readDemoPeople(dataFolder)?.owner;
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '[::1]', 'localhost']);
