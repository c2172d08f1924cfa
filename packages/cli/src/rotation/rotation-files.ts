import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../exits.ts';
import { fileError } from '../files.ts';

/**
 * The facts that a rotation must remember until it is complete. Everything else follows from the keys and the
 * service.
 */
export interface RotationRecord {
  readonly clientId: string;
  /** The fingerprint of the key that is replaced. */
  readonly previousFingerprint: string;
  /** How long the previous key verifies after the first use of the new one; 0 ends it right after the switch. */
  readonly overlapSeconds: number;
}

/**
 * A key file with the files of its rotation, all in one folder. `KEY.next` contains the next private key, or
 * its name in a key store, until it replaces the key file. `KEY.rotation` is the record, which exists from
 * before the first change until the rotation is complete.
 */
export interface RotationFiles {
  /** The key file, with symbolic links resolved. */
  readonly keyFile: string;
  readonly nextFile: string;
  readonly recordFile: string;
  /** Undefined if there is no such file. */
  readonly read: (file: string) => Promise<string | undefined>;
  readonly readRecord: () => Promise<RotationRecord | undefined>;
  readonly writeRecord: (record: RotationRecord) => Promise<void>;
  /** Stores the next key, readable only by the owner of the key file. Does nothing if there is one already. */
  readonly writeNext: (text: string) => Promise<void>;
  /** Replaces the key file with the next key in one step. False if the next key is gone: another run was faster. */
  readonly switchToNext: () => Promise<boolean>;
  readonly remove: (file: string) => Promise<void>;
}

/**
 * Opens a key file for a rotation, and removes leftovers of an interrupted write.
 *
 * @param holds the kind of content, for errors
 */
export async function openRotationFiles(path: string, holds: string): Promise<RotationFiles> {
  const keyFile = await realpath(path).catch((error: unknown) => {
    throw fileError(error, path, holds);
  });
  const folder = dirname(keyFile);
  const nextFile = `${keyFile}.next`;
  const recordFile = `${keyFile}.rotation`;
  await guarded(folder, () => removeUnfinished(folder, basename(keyFile)));
  return {
    keyFile,
    nextFile,
    recordFile,
    read: (file) => guarded(file, () => readIfThere(file)),
    readRecord: async () =>
      readRecordText(await guarded(recordFile, () => readIfThere(recordFile)), recordFile),
    writeRecord: (record) =>
      retried(recordFile, async () => {
        const unfinished = await writeUnfinished(keyFile, `${JSON.stringify(record, undefined, 2)}\n`);
        await rename(unfinished, recordFile);
        await syncFolder(folder);
      }),
    writeNext: (text) =>
      retried(nextFile, async () => {
        const unfinished = await writeUnfinished(keyFile, text);
        try {
          await copyAllOrNothing(unfinished, nextFile);
        } finally {
          await rm(unfinished, { force: true });
        }
        await syncFolder(folder);
      }),
    switchToNext: () =>
      guarded(keyFile, async () => {
        try {
          await rename(nextFile, keyFile);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
          throw error;
        }
        await syncFolder(folder);
        return true;
      }),
    remove: (file) =>
      guarded(file, async () => {
        await rm(file, { force: true });
        await syncFolder(folder);
      }),
  };
}

async function guarded<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, file, 'file');
  }
}

/** Another run that starts now removes unfinished files. */
async function retried(file: string, work: () => Promise<void>): Promise<void> {
  return guarded(file, async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 5) throw error;
      }
    }
  });
}

const unfinishedSuffix = /^\.[0-9a-f]{12}\.unfinished$/;

async function removeUnfinished(folder: string, keyName: string): Promise<void> {
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(keyName) && unfinishedSuffix.test(name.slice(keyName.length)),
  );
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

/** Writes a complete file with the owner and the mode of the key file, under a name that nothing reads. */
async function writeUnfinished(keyFile: string, text: string): Promise<string> {
  const unfinished = `${keyFile}.${randomBytes(6).toString('hex')}.unfinished`;
  const { uid, gid, mode } = await stat(keyFile);
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    const own = await handle.stat();
    if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
    await handle.chmod(mode & 0o777);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return unfinished;
}

/** Gives a complete file its name in one step, unless that name is taken. */
async function copyAllOrNothing(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    // File systems without hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(code)) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** A rename survives a power failure only once its folder is written. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readRecordText(text: string | undefined, file: string): RotationRecord | undefined {
  if (text === undefined) return undefined;
  const { clientId, previousFingerprint, overlapSeconds } = parsed(text);
  if (
    typeof clientId === 'string' &&
    typeof previousFingerprint === 'string' &&
    typeof overlapSeconds === 'number'
  ) {
    return { clientId, previousFingerprint, overlapSeconds };
  }
  throw new CommandError(
    'local',
    'rotation_record_invalid',
    `${file} is not the record of a rotation. Move it away, and run the command again.`,
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
