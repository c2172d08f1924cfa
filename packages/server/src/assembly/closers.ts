/** Functions that close open parts, in the order of opening. */
export type Closers = (() => Promise<void> | void)[];

/** Closes everything, last opened first. A failure does not stop the others from closing; the first one is thrown. */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
