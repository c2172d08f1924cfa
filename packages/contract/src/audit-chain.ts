/** The audit log as a hash chain: what is hashed, and the lines in which streams send it. docs/operations/streams.md says the same in words. */

/** The hash before the first record. */
export const chainStart: string = '0'.repeat(64);

/** The place of a record in the chain. Hashes are SHA-256 in lower-case hexadecimal. */
export interface ChainLink {
  /** From 1, without gaps. */
  readonly position: number;
  readonly previousHash: string;
  /** The hash of `canonicalJson` of the record. */
  readonly digest: string;
  /** The hash of `linkText`. */
  readonly hash: string;
}

/** A line of a stream: a record of the audit log, or what the chain keeps of one that was removed. */
export interface AuditLine extends ChainLink {
  readonly source: 'audit';
  /** The ID of the audit event, the same each time that it is sent. */
  readonly id: string;
  /** The audit event as the API shows it; missing if it was removed. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** Returns the text whose hash links a record to the one before it. */
export function linkText({
  position,
  previousHash,
  digest,
}: Pick<ChainLink, 'position' | 'previousHash' | 'digest'>): string {
  return `${previousHash} ${position} ${digest}`;
}

/**
 * Returns a value of JSON in the one form that is hashed (RFC 8785): members sorted by UTF-16 code units, no spaces, strings
 * and numbers as JSON.stringify writes them. Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
