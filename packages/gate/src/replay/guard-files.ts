import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DurableFile } from './durable-file.ts';
import { SecondRanges } from './second-ranges.ts';
import { decodeSnapshot, encodeSnapshot, type GuardMemory } from './snapshot.ts';

/** The seconds of `created` that matter after a restart. */
export interface MarkedSeconds {
  /** No signature of another second was ever accepted. */
  readonly reserved: SecondRanges;
  /** Seconds in which signatures may have been accepted without being remembered. */
  readonly refused: SecondRanges;
}

/** The state in which the last process that used a data folder left the guard's memory. */
export type LastLife =
  | { readonly ending: 'none' }
  | ({ readonly ending: 'clean' } & MarkedSeconds & GuardMemory)
  | ({ readonly ending: 'crash' } & MarkedSeconds);

interface Mark extends MarkedSeconds {
  /** Identifies this memory: no other folder has the same ID. Missing in files from before IDs were introduced. */
  readonly guardId?: string;
  /** After a clean stop: the SHA-256, in hex, of the snapshot file. */
  readonly snapshotSha256: string | null;
}

/**
 * The two files that let the memory guard survive a restart: the mark, rewritten whenever another second of `created`
 * is reserved, and the snapshot, written by a clean stop. Each write is complete and on disk before the call returns.
 */
export class GuardFiles {
  readonly #markFile: string;
  readonly #snapshotFile: string;
  /** Stays open from the first write to the end, so that a mark can be written when no other file can be opened. */
  #openMark: DurableFile | undefined;
  #guardId: string = randomUUID();

  constructor(dataFolder: string) {
    this.#markFile = join(dataFolder, 'replay-mark.json');
    this.#snapshotFile = join(dataFolder, 'replay-snapshot.bin');
  }

  /** The ID stored with the mark: the existing one after `readLastLife`, otherwise a new one. */
  get guardId(): string {
    return this.#guardId;
  }

  /**
   * Reads the state that the last process left. Throws if the mark exists but is damaged: guessing would accept
   * replays.
   */
  readLastLife(): LastLife {
    const mark = this.#readMark();
    if (!mark) return { ending: 'none' };
    const { reserved, refused } = mark;
    this.#guardId = mark.guardId ?? this.#guardId;
    if (mark.snapshotSha256 !== null) {
      const bytes = readIfThere(this.#snapshotFile);
      const memory = bytes && sha256Hex(bytes) === mark.snapshotSha256 ? decodeSnapshot(bytes) : undefined;
      if (memory) return { ending: 'clean', reserved, refused, ...memory };
    }
    return { ending: 'crash', reserved, refused: reserved };
  }

  /** Records that only signatures of these seconds are accepted. From now on the process counts as crashed. */
  reserve(seconds: MarkedSeconds): void {
    this.#writeMark(seconds, null);
  }

  /** Stores the guard's memory and marks the stop as clean. */
  keep(memory: GuardMemory, seconds: MarkedSeconds): void {
    const bytes = encodeSnapshot(memory);
    writeDurably(this.#snapshotFile, bytes);
    this.#writeMark(seconds, sha256Hex(bytes));
  }

  /** Removes the snapshot after a new process has started. */
  forgetSnapshot(): void {
    rmSync(this.#snapshotFile, { force: true });
  }

  /** Closes the files. */
  close(): void {
    this.#openMark?.close();
    this.#openMark = undefined;
  }

  #readMark(): Mark | undefined {
    const text = readIfThere(this.#markFile)?.toString('utf8');
    if (text === undefined) return undefined;
    const mark = parseMark(text);
    if (mark) return mark;
    throw new Error(
      `${this.#markFile} is damaged, so the service cannot tell used signatures from new ones. ` +
        'Remove the file and start again: earlier signatures are then rejected, and so are new ones for a minute ' +
        '(for as long as they may be ahead of the clock).',
    );
  }

  #writeMark({ reserved, refused }: MarkedSeconds, snapshotSha256: string | null): void {
    const mark = { version: 2, guardId: this.#guardId, reserved, refused, snapshotSha256 };
    this.#openMark ??= new DurableFile(this.#markFile);
    this.#openMark.write(Buffer.from(`${JSON.stringify(mark)}\n`));
  }
}

function parseMark(text: string): Mark | undefined {
  let mark: Readonly<Record<string, unknown>> | null;
  try {
    mark = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
  } catch {
    return undefined;
  }
  const { guardId, snapshotSha256 } = mark ?? {};
  const seconds = mark && parseSeconds(mark);
  if (!seconds || !(guardId === undefined || typeof guardId === 'string')) return undefined;
  if (!(snapshotSha256 === null || typeof snapshotSha256 === 'string')) return undefined;
  return { ...seconds, ...(guardId !== undefined && { guardId }), snapshotSha256 };
}

function parseSeconds(mark: Readonly<Record<string, unknown>>): MarkedSeconds | undefined {
  // Version 1 had a single range; what it rejected after a clean stop is in the snapshot's horizon.
  if (mark['version'] === 1) {
    const { reservedSeconds } = mark;
    if (typeof reservedSeconds !== 'number' || !Number.isSafeInteger(reservedSeconds)) return undefined;
    return { reserved: SecondRanges.upTo(reservedSeconds), refused: SecondRanges.none };
  }
  const reserved = SecondRanges.parse(mark['reserved']);
  const refused = SecondRanges.parse(mark['refused']);
  return mark['version'] === 2 && reserved && refused ? { reserved, refused } : undefined;
}

function writeDurably(file: string, bytes: Buffer): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Makes a rename durable by syncing the folder itself. Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
