import { createHash } from 'node:crypto';
import { type AuditLine, canonicalJson, linkText } from '@countersign/contract/audit-chain';

/** The first thing that is wrong with a copy. */
export interface AuditCopyProblem {
  readonly kind:
    | 'missing'
    | 'changed'
    | 'out_of_order'
    | 'differs'
    | 'unreadable'
    | 'wrong_start'
    | 'empty'
    | 'wrong_head';
  readonly position?: number;
  /** From 1. */
  readonly line?: number;
}

export interface AuditCopyResult {
  readonly records: number;
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** The hash of the last record. */
  readonly head: string | undefined;
  readonly duplicates: number;
  readonly removed: number;
  readonly problem: AuditCopyProblem | undefined;
}

/** Checks a received copy of the audit log line by line. It keeps 32 bytes of each record. */
export class AuditCopy {
  readonly #from: string | undefined;
  #hashes = Buffer.alloc(32 * 1024);
  #first: number | undefined;
  #records = 0;
  #duplicates = 0;
  #removed = 0;
  #line = 0;
  #problem: AuditCopyProblem | undefined;

  /** @param from the hash that the first record must follow */
  constructor(from: string | undefined) {
    this.#from = from;
  }

  add(text: string): void {
    this.#line += 1;
    if (text.trim() === '') return;
    const line = readLine(text);
    if (line === 'other') return;
    if (this.#problem?.kind === 'missing') {
      if (line?.position === this.#problem.position)
        this.#problem = { kind: 'out_of_order', position: line?.position ?? 0, line: this.#line };
      return;
    }
    if (this.#problem !== undefined) return;
    this.#problem = line === undefined ? { kind: 'unreadable', line: this.#line } : this.#check(line);
  }

  /** @param head the hash that the last record must have */
  finish(head?: string): AuditCopyResult {
    const last = this.#first === undefined ? undefined : this.#first + this.#records - 1;
    const ownHead = this.#records === 0 ? undefined : this.#hashAt(this.#records - 1);
    // A copy that follows another one can be of a time in which nothing happened.
    if (this.#problem === undefined && this.#records === 0 && this.#from === undefined)
      this.#problem = { kind: 'empty' };
    if (this.#problem === undefined && head !== undefined && head !== ownHead)
      this.#problem = { kind: 'wrong_head', position: last ?? 0 };
    return {
      records: this.#records,
      first: this.#first,
      last,
      head: ownHead,
      duplicates: this.#duplicates,
      removed: this.#removed,
      problem: this.#problem,
    };
  }

  #check(line: AuditLine): AuditCopyProblem | undefined {
    const { position, previousHash, hash, record } = line;
    const problem = (kind: AuditCopyProblem['kind'], at = position): AuditCopyProblem => ({
      kind,
      position: at,
      line: this.#line,
    });
    if (!isIntact(line)) return problem('changed');
    const index = position - (this.#first ?? position);
    if (index < 0) return problem('out_of_order');
    if (index > this.#records) return problem('missing', this.#first! + this.#records);
    if (index < this.#records) {
      this.#duplicates += 1;
      return this.#hashAt(index) === hash ? undefined : problem('differs');
    }
    // The one before has a hash of its own that fits, but not the one that it had: it was replaced.
    if (index > 0 && this.#hashAt(index - 1) !== previousHash) return problem('changed', position - 1);
    if (index === 0 && this.#from !== undefined && this.#from !== previousHash) return problem('wrong_start');
    this.#first ??= position;
    if (record === undefined) this.#removed += 1;
    this.#append(hash);
    return undefined;
  }

  #hashAt(index: number): string {
    return this.#hashes.toString('hex', index * 32, index * 32 + 32);
  }

  #append(hash: string): void {
    const offset = this.#records * 32;
    if (offset === this.#hashes.length)
      this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(this.#hashes.length)]);
    this.#hashes.write(hash, offset, 'hex');
    this.#records += 1;
  }
}

/** Returns true if the record, if it is there, has its digest, and the link its hash. */
function isIntact(line: AuditLine): boolean {
  const { record, digest, hash, id } = line;
  if (record !== undefined && (record['eventId'] !== id || sha256(canonicalJson(record)) !== digest))
    return false;
  return sha256(linkText(line)) === hash;
}

/** Reads a line; `other` for one that is not about the audit log, undefined if it is no line of a stream. */
function readLine(text: string): AuditLine | 'other' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  // A document of the Elastic Common Schema: it has the line as it was in one of its fields.
  const { event } = value as { readonly event?: { readonly original?: unknown } | null };
  if (typeof event === 'object' && typeof event?.original === 'string') return readLine(event.original);
  const { source, id, position, previousHash, digest, hash, record } = value as Partial<AuditLine>;
  if ((source as string) === 'requests') return 'other';
  const areHashes = [previousHash, digest, hash].every(
    (one) => typeof one === 'string' && /^[0-9a-f]{64}$/.test(one),
  );
  const isRecord = record === undefined || (typeof record === 'object' && record !== null);
  if (source !== 'audit' || typeof id !== 'string' || !areHashes || !isRecord) return undefined;
  return Number.isSafeInteger(position) && position! >= 1 ? (value as AuditLine) : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
