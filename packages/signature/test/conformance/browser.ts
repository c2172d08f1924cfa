import type { ConformanceTest, Platform, VectorSource } from './platform.ts';
import { profileTests } from './profile-vectors.ts';
import { standardTests } from './standard-vectors.ts';
import { webPlatform } from './web-platform.ts';

/** What a test came to, as it leaves the page. */
export interface BrowserResult {
  readonly name: string;
  readonly skipped?: string;
  readonly error?: string;
}

/** Runs the whole conformance suite in the page that imports this module. */
export async function runInPage(): Promise<BrowserResult[]> {
  const platform = webPlatform('Web Crypto in a browser') as Platform;
  const tests = [...(await profileTests(platform, overHttp)), ...(await standardTests(platform, overHttp))];
  const results: BrowserResult[] = [];
  for (const one of tests) results.push(await resultOf(one));
  return results;
}

const overHttp: VectorSource = {
  json: async (path) => {
    const response = await fetch(`/${path}`);
    return response.ok ? response.json() : undefined;
  },
  bytes: async (path) => {
    const response = await fetch(`/${path}`);
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
  },
};

async function resultOf(one: ConformanceTest): Promise<BrowserResult> {
  const { name, skipped } = one;
  if (skipped !== undefined) return { name, skipped };
  try {
    await one.run();
    return { name };
  } catch (error) {
    return { name, error: (error as Error).stack ?? String(error) };
  }
}
