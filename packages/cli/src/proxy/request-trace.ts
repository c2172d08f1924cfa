import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileError } from '../files.ts';
import { savedRequest } from '../sending/saved-request.ts';
import type { RequestToSend } from '../sending/send-request.ts';
import type { Io } from '../terminal/io.ts';

/** Writes each request as it is sent, one file each, for `countersign explain --sent`. */
export interface RequestTrace {
  readonly write: (request: RequestToSend) => void;
  /** Resolves when everything is written. */
  readonly end: () => Promise<void>;
}

/** The number of requests to keep; the oldest are removed. */
const tracedMax = 100;
/** Larger bodies are omitted. */
const tracedBodyBytesMax = 1024 * 1024;
/** The number of requests that may wait for the disk; more are not traced. */
const waitingMax = 50;

const tracedName = /^\d{8}T\d{6}Z-\d{6}\.http$/;

/** Writes nothing. */
export const noTrace: RequestTrace = { write: () => undefined, end: async () => undefined };

/**
 * Opens a folder that others cannot read, and creates it if needed. Calls `warn` once if writing fails later
 * on; requests continue. Throws a CommandError if the folder cannot be used.
 */
export async function folderTrace(
  folder: string,
  warn: (text: string) => void,
  io: Io,
): Promise<RequestTrace> {
  const path = resolve(io.folder, folder);
  const names = await openFolder(path, folder);
  let written = Promise.resolve();
  let waiting = 0;
  let count = 0;
  let hasWarned = false;
  const warnOnce = (text: string): void => {
    if (!hasWarned) warn(text);
    hasWarned = true;
  };
  const writeOne = async (name: string, request: RequestToSend): Promise<void> => {
    try {
      await writeFile(join(path, name), savedRequest(request), { mode: 0o600 });
      names.push(name);
      while (names.length > tracedMax) await rm(join(path, names.shift()!), { force: true });
    } catch (error) {
      warnOnce(fileError(error, folder, 'trace folder').message);
    }
    waiting -= 1;
  };
  return {
    write(request) {
      if (waiting >= waitingMax) return warnOnce('The disk is slow: some requests are not traced.');
      waiting += 1;
      count = (count + 1) % 1_000_000;
      const time = new Date(io.nowMs()).toISOString().replace(/[-:]|\.\d+/g, '');
      const isLarge = (request.body?.length ?? 0) > tracedBodyBytesMax;
      const kept = isLarge ? { ...request, body: undefined } : request;
      const name = `${time}-${String(count).padStart(6, '0')}.http`;
      written = written.then(() => writeOne(name, kept));
    },
    end: () => written,
  };
}

/** Returns the names of existing files in the folder, the oldest first. */
async function openFolder(path: string, folder: string): Promise<string[]> {
  try {
    const created = await mkdir(path, { recursive: true, mode: 0o700 });
    if (created !== undefined) await chmod(path, 0o700);
    return (await readdir(path)).filter((name) => tracedName.test(name)).toSorted();
  } catch (error) {
    throw fileError(error, folder, 'trace folder');
  }
}
