import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';

/**
 * Counts how often functions of a source file are called in this thread while some work runs: a cost that no other program
 * on the machine changes.
 *
 * @param file the end of its path
 */
export async function countCalls<Name extends string>(
  file: string,
  names: readonly Name[],
  work: () => unknown,
): Promise<Record<Name, number>> {
  const functions = await executedFunctions((url) => url.endsWith(file), false, work);
  const countOf = (name: Name): number =>
    functions
      .filter(({ functionName }) => functionName === name)
      .reduce((sum, { ranges }) => sum + ranges[0]!.count, 0);
  return Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>;
}

/** Counts how often the blocks of some sources are entered: function bodies, loop bodies, branches. */
export async function countBlocks(sources: RegExp, work: () => unknown): Promise<number> {
  const functions = await executedFunctions((url) => sources.test(url), true, work);
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

async function executedFunctions(
  isCounted: (url: string) => boolean,
  detailed: boolean,
  work: () => unknown,
): Promise<
  readonly { readonly functionName: string; readonly ranges: readonly { readonly count: number }[] }[]
> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    await session.post('Profiler.disable');
    const found = result.filter(({ url }) => isCounted(url));
    assert.ok(found.length > 0, 'nothing that is counted has run');
    return found.flatMap(({ functions }) => functions);
  } finally {
    session.disconnect();
  }
}
