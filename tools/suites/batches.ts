import { hash } from 'node:crypto';

/**
 * Files of one batch share a process: few enough that a leftover of one affects few others, and enough to
 * load the product once.
 */
const batchFiles = 12;

/** Divides test files into batches of neighbors, which load much the same modules. */
export function batchesOf(files: readonly string[], size = batchFiles): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** Puts test files into an order that looks random and is the same again for the same seed. */
export function shuffled(files: readonly string[], seed: string): string[] {
  const places = new Map(files.map((file) => [file, hash('sha256', `${seed} ${file}`)]));
  return files.toSorted((a, b) => (places.get(a)! < places.get(b)! ? -1 : 1));
}
