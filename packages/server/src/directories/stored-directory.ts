import { z } from 'zod';
import { type DirectoryContents, type DirectoryKey, thumbprintOfPem } from './directory-key.ts';
import { type DirectoryLocation, directoryForms } from './directory-location.ts';

/** A directory's last good answer as plain JSON, to be stored, so that its keys survive a restart during an outage. */
export interface StoredDirectory extends DirectoryLocation {
  /** When it was fetched, in milliseconds since 1970. */
  readonly succeededAtMs: number;
  readonly keys: readonly DirectoryKeyJson[];
}

/** A key in JSON, which leaves out members that are undefined. */
export type DirectoryKeyJson = { readonly [Member in keyof DirectoryKey]?: DirectoryKey[Member] };

/** What was stored, ready to be used. */
export interface RestoredDirectory {
  readonly location: DirectoryLocation;
  readonly succeededAtMs: number;
  readonly contents: DirectoryContents;
}

/** Reads what was stored; undefined for anything else. Skips keys that cannot be used. */
export function readStoredDirectory(value: unknown): RestoredDirectory | undefined {
  const reading = storedDirectory.safeParse(value);
  if (!reading.success) return undefined;
  const { form, url, succeededAtMs, keys } = reading.data;
  const usable = keys.flatMap((key) => readStoredKey(key) ?? []);
  return { location: { form, url }, succeededAtMs, contents: { keys: usable, skipped: {} } };
}

function readStoredKey(value: unknown): DirectoryKey | undefined {
  const reading = storedKey.safeParse(value);
  if (!reading.success) return undefined;
  const { kid, algorithm, startsAtMs, endsAtMs, ...others } = reading.data;
  try {
    if (thumbprintOfPem(others.spkiPem) !== others.thumbprint) return undefined;
  } catch {
    return undefined;
  }
  return { ...others, kid, algorithm, startsAtMs, endsAtMs };
}

const storedDirectory = z.object({
  form: z.enum(directoryForms),
  url: z.string().max(1024),
  succeededAtMs: z.number(),
  keys: z.array(z.unknown()).max(100),
});

const storedKey = z.object({
  kid: z.string().optional(),
  thumbprint: z.string(),
  fingerprint: z.string(),
  spkiPem: z.string().startsWith('-----BEGIN PUBLIC KEY-----'),
  bits: z.number(),
  algorithm: z
    .enum(['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'ed25519'])
    .optional(),
  startsAtMs: z.number().optional(),
  endsAtMs: z.number().optional(),
});
