import { readFile, stat } from 'node:fs/promises';

/** How long a file is assumed to be unchanged: a replaced one takes effect within a second. */
const checkedEveryMs = 500;
/** Tokens, PINs and key names are shorter. */
const bytesMax = 65_536;

/**
 * A text in a file that other programs replace, such as a token. Nothing runs in the background: each use
 * checks whether the file has changed, at most every half second.
 */
export class FollowedFile {
  readonly path: string;
  #text: string | undefined;
  #version = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<string> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Returns the text without white space around it.
   *
   * @param now checks the file even if that was done a moment ago
   * @throws Error with a `code` of the file system, or `EMPTY`
   */
  async text(now: boolean = false): Promise<string> {
    const isFresh = !now && performance.now() - this.#checkedAtMs < checkedEveryMs;
    if (isFresh && this.#text !== undefined) return this.#text;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<string> {
    // Taken before reading: the next check notices a change in between.
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true });
    if (size > bytesMax) throw fileError('EFBIG');
    const version = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    if (this.#text === undefined || version !== this.#version) {
      const text = (await readFile(this.path, 'utf8')).trim();
      // A file that is being written in place is briefly empty.
      if (text === '') throw fileError('EMPTY');
      this.#text = text;
      this.#version = version;
    }
    this.#checkedAtMs = performance.now();
    return this.#text;
  }
}

function fileError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
