import { readFile } from 'node:fs/promises';
import type { VectorSource } from './platform.ts';

const repository = new URL('../../../../', import.meta.url);

/** Where a vector path is on this machine: ours in the repository, third-party ones beside it. */
export function vectorUrl(path: string): URL {
  return path.startsWith('shared/')
    ? new URL(`../shared/vectors/${path.slice('shared/'.length)}`, repository)
    : new URL(path, repository);
}

/** Vectors from the disk. */
export const vectorFiles: VectorSource = {
  async json(path) {
    const bytes = await this.bytes(path);
    return bytes && JSON.parse(Buffer.from(bytes).toString('utf8'));
  },
  async bytes(path) {
    try {
      return await readFile(vectorUrl(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
};
