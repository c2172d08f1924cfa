import { existsSync, readFileSync } from 'node:fs';

const folder = new URL('../../../../../shared/vectors/wycheproof/', import.meta.url);

/** A signature or tag to check. */
export interface WycheproofCase {
  readonly tcId: number;
  readonly comment: string;
  readonly msg: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
  /** A signature, in hexadecimal. */
  readonly sig?: string;
  /** A secret and its tag, in hexadecimal. */
  readonly key?: string;
  readonly tag?: string;
}

export interface WycheproofGroup {
  readonly publicKeyPem?: string;
  readonly tagSize?: number;
  readonly keySize?: number;
  readonly tests: readonly WycheproofCase[];
}

/** Returns the reason why a file's tests cannot run here, for `skip`; false if they can. */
export function missing(name: string): string | false {
  return existsSync(new URL(`${name}.json`, folder)) ? false : `Wycheproof's ${name} is not on this machine`;
}

/** Returns a file's groups. */
export function groupsOf(name: string): readonly WycheproofGroup[] {
  const file = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as {
    testGroups: readonly WycheproofGroup[];
  };
  return file.testGroups;
}

/** Reads hexadecimal. */
export function bytesOf(hexadecimal: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hexadecimal, 'hex'));
}
