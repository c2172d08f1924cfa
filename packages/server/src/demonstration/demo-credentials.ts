import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../configuration/load.ts';
import type { DemoCredentials } from '../people/identity/identity.ts';

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
 * Returns the demo owner's credentials for the button on the sign-in page, in a demonstration that only this
 * machine can reach.
 */
export function demoCredentials(
  configuration: LocalParts & Pick<Configuration, 'dataFolder'>,
): DemoCredentials | undefined {
  return isLocalDemonstration(configuration) ? readDemoPeople(configuration.dataFolder)?.owner : undefined;
}

type LocalParts = Pick<Configuration, 'demonstration' | 'host' | 'publicBaseUrls' | 'trustedProxies'>;

/**
 * Returns true for a demonstration that is configured for this machine only. It cannot detect a tunnel, or a
 * proxy that the settings don't mention.
 */
export function isLocalDemonstration({
  demonstration,
  host,
  publicBaseUrls,
  trustedProxies,
}: LocalParts): boolean {
  const names = [host, ...publicBaseUrls.map((baseUrl) => new URL(baseUrl).hostname)];
  return demonstration && trustedProxies.length === 0 && names.every((name) => loopback.has(name));
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '[::1]', 'localhost']);
