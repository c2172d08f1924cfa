import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DurableFile } from './durable-file.ts';
import { decodeSnapshot, encodeSnapshot, type GuardMemory } from './snapshot.ts';

/** The state in which the last process that used a data folder left the guard's memory. */
export type LastLife =
  | { readonly ending: 'none' }
  | ({ readonly ending: 'clean'; readonly reservedSeconds: number } & GuardMemory)
  | { readonly ending: 'crash'; readonly reservedSeconds: number };

interface Mark {
  readonly version: 1;
  /** Identifies this memory: no other folder has the same ID. Missing in files from before IDs were introduced. */
  readonly guardId?: string;
  /** No signature with a later `created` was accepted. Unix seconds. */
  readonly reservedSeconds: number;
  /** After a clean stop: the SHA-256, in hex, of the snapshot file. */
  readonly snapshotSha256: string | null;
}

/**
 * The two files that let the memory guard survive a restart: the mark, rewritten whenever `created` passes it, and the
 * snapshot, written by a clean stop. Each write is complete and on disk before the call returns.
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
    const { reservedSeconds } = mark;
    this.#guardId = mark.guardId ?? this.#guardId;
    if (mark.snapshotSha256 !== null) {
      const bytes = readIfThere(this.#snapshotFile);
      const memory = bytes && sha256Hex(bytes) === mark.snapshotSha256 ? decodeSnapshot(bytes) : undefined;
      if (memory) return { ending: 'clean', reservedSeconds, ...memory };
    }
    return { ending: 'crash', reservedSeconds };
  }

  /** Records that no signature created after this second is accepted. From now on the process counts as crashed. */
  reserve(reservedSeconds: number): void {
    this.#writeMark({ version: 1, guardId: this.#guardId, reservedSeconds, snapshotSha256: null });
  }

  /** Stores the guard's memory and marks the stop as clean. */
  keep(memory: GuardMemory, reservedSeconds: number): void {
    const bytes = encodeSnapshot(memory);
    writeDurably(this.#snapshotFile, bytes);
    this.#writeMark({
      version: 1,
      guardId: this.#guardId,
      reservedSeconds,
      snapshotSha256: sha256Hex(bytes),
    });
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
      `${this.#markFile} is damaged, so used signatures cannot be told from new ones. ` +
        'Remove the file and start again: signatures of before are refused then, and so are new ones for a minute ' +
        '(for as long as they may be ahead of the clock).',
    );
  }

  #writeMark(mark: Mark): void {
    this.#openMark ??= new DurableFile(this.#markFile);
    this.#openMark.write(Buffer.from(`${JSON.stringify(mark)}\n`));
  }
}

function parseMark(text: string): Mark | undefined {
  let mark: Partial<Mark> | null;
  try {
    mark = JSON.parse(text) as Partial<Mark> | null;
  } catch {
    return undefined;
  }
  const sound =
    mark?.version === 1 &&
    (mark.guardId === undefined || typeof mark.guardId === 'string') &&
    Number.isSafeInteger(mark.reservedSeconds) &&
    (mark.snapshotSha256 === null || typeof mark.snapshotSha256 === 'string');
  return sound ? (mark as Mark) : undefined;
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
