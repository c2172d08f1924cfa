import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../configuration/load.ts';

/** What a person of the demonstration signs in with. */
export interface DemoPerson {
  readonly email: string;
  readonly password: string;
}

/** The people of the demonstration, as they are kept in a file that only its owner can read. */
export interface DemoPeople {
  readonly owner: DemoPerson;
  readonly operator: DemoPerson;
}

/** The file in the data folder that keeps them. */
export function demoPeopleFile(dataFolder: string): string {
  return join(dataFolder, 'demo', 'people.json');
}

/** The people of the demonstration; undefined while there are none. */
export function readDemoPeople(dataFolder: string): DemoPeople | undefined {
  try {
    return JSON.parse(readFileSync(demoPeopleFile(dataFolder), 'utf8')) as DemoPeople;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The demo owner's credentials, for the button on the sign-in page: only in a demonstration, and only where nobody but this
 * machine can reach the page, whether directly or through a proxy.
 */
export function demoCredentials({
  demonstration,
  host,
  publicBaseUrls,
  dataFolder,
}: Pick<Configuration, 'demonstration' | 'host' | 'publicBaseUrls' | 'dataFolder'>): DemoPerson | undefined {
  const names = [host, ...publicBaseUrls.map((baseUrl) => new URL(baseUrl).hostname)];
  if (!demonstration || !names.every((name) => loopback.has(name))) return undefined;
  return readDemoPeople(dataFolder)?.owner;
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '[::1]', 'localhost']);
