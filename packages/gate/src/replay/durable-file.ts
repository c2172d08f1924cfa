import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * A small file that is replaced atomically and is on disk when the call returns. After the constructor it
 * opens nothing, so a process without free file descriptors can still write it.
 *
 * The content is in one of two files beside it, which stay open. Each write fills the other file and then
 * renames a hard link to it onto the name, so a crash leaves either the old content or the new.
 */
export class DurableFile {
  readonly #file: string;
  readonly #folder: number | undefined;
  /** The file to write next comes first. */
  #halves: [Half, Half];

  /** Opens the two files. The content under the name stays as it is until the first write. */
  constructor(file: string) {
    this.#file = file;
    const opened: number[] = [];
    const open = (path: string, flags: 'r' | 'wx'): number => {
      const descriptor = openSync(path, flags, 0o600);
      opened.push(descriptor);
      return descriptor;
    };
    try {
      const halves = ['a', 'b'].map((letter): Half => {
        const path = `${file}.${letter}`;
        // The previous process may have left the current content in it, which must not be overwritten in place.
        rmSync(path, { force: true });
        return { path, descriptor: open(path, 'wx') };
      });
      this.#halves = halves as [Half, Half];
      // Windows cannot sync a folder and need not.
      this.#folder = process.platform === 'win32' ? undefined : open(dirname(file), 'r');
    } catch (error) {
      opened.forEach(closeSync);
      throw error;
    }
  }

  /** Replaces the content. If it throws, a later read finds the old content or the new. */
  write(bytes: Uint8Array): void {
    const [next, current] = this.#halves;
    ftruncateSync(next.descriptor);
    for (let written = 0; written < bytes.length;)
      written += writeSync(next.descriptor, bytes, written, bytes.length - written, written);
    fsyncSync(next.descriptor);
    const link = `${this.#file}.new`;
    rmSync(link, { force: true });
    linkSync(next.path, link);
    renameSync(link, this.#file);
    this.#halves = [current, next];
    if (this.#folder !== undefined) fsyncSync(this.#folder);
  }

  /** Closes the files. Only the one that holds the content keeps a second name. */
  close(): void {
    for (const { path, descriptor } of this.#halves) {
      closeSync(descriptor);
      rmSync(path, { force: true });
    }
    if (this.#folder !== undefined) closeSync(this.#folder);
  }
}

interface Half {
  readonly path: string;
  readonly descriptor: number;
}
