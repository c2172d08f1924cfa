import { statfs } from 'node:fs/promises';

/** Returns the bytes that this process may still write to a folder's disk. */
export type FreeBytes = (folder: string) => Promise<number>;

/**
 * With less space than this, a disk counts as full: SQLite's log alone may take as much before it is written
 * back.
 */
const freeBytesMin = 4_194_304;
const lookEveryMs = 1000;

/** Watches the disks that a node writes to, because a node on a full disk can neither remember signatures nor log. */
export class DiskWatch {
  readonly #folders: ReadonlyMap<string, string>;
  readonly #freeBytes: FreeBytes;
  readonly #timer: NodeJS.Timeout;
  #problem: string | undefined;

  private constructor(folders: ReadonlyMap<string, string>, freeBytes: FreeBytes) {
    this.#folders = folders;
    this.#freeBytes = freeBytes;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    this.#timer.unref();
  }

  /**
   * Checks the disks now and every second.
   *
   * @param folders the content of each folder, by its path
   */
  static async start(
    folders: ReadonlyMap<string, string>,
    freeBytes: FreeBytes = freeBytesOf,
  ): Promise<DiskWatch> {
    const watch = new DiskWatch(folders, freeBytes);
    await watch.#look();
    return watch;
  }

  /** Names a full disk; undefined if there is none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    let problem: string | undefined;
    for (const [folder, content] of this.#folders) {
      // If the free space is unknown, a failing write will show that the disk is full.
      const free = await this.#freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
      if (free < freeBytesMin) problem ??= `the disk of the ${content} is full`;
    }
    this.#problem = problem;
  }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some file systems have no size of their own.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
