import type { ChangedPart } from './hop-change.ts';

/** The components that sign a part of a request; one of them is enough. */
const signedBy: Readonly<Partial<Record<ChangedPart, readonly string[]>>> = {
  method: ['@method'],
  scheme: ['@target-uri', '@scheme'],
  host: ['@target-uri', '@authority', 'host'],
  path: ['@target-uri', '@path', '@request-target'],
  query: ['@target-uri', '@query', '@query-param', '@request-target'],
  body: ['content-digest'],
};

/** Returns the parts of a request that a signature over these components leaves open. */
export function openPartsOf(components: readonly string[]): ReadonlySet<ChangedPart> {
  const parts = Object.keys(signedBy) as ChangedPart[];
  return new Set(parts.filter((part) => !signedBy[part]!.some((name) => components.includes(name))));
}
