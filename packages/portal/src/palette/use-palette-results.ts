import type { SignedInAccount } from '@countersign/contract';
import { useEffect, useState } from 'react';
import type { PaletteEntry, PaletteSource } from './palette-source.ts';
import { paletteSources } from './palette-sources.ts';

/** The results of one source. */
export interface PaletteGroup {
  readonly id: string;
  readonly heading: string;
  readonly entries: readonly PaletteEntry[];
  readonly hasFailed: boolean;
}

export interface PaletteResults {
  /** In the order of the sources, without those that found nothing. */
  readonly groups: readonly PaletteGroup[];
  /** True while a source is still searching. */
  readonly isBusy: boolean;
}

/** People type a word in about this time. */
const typingMs = 200;

/** Searches all sources once the person stops typing. The next text aborts running searches. */
export function usePaletteResults(text: string, account: SignedInAccount): PaletteResults {
  const [found, setFound] = useState<{
    readonly text: string;
    readonly groups: ReadonlyMap<string, PaletteGroup>;
  }>({
    text: '',
    groups: new Map(),
  });
  const sources = paletteSources.filter(({ isFor }) => isFor(account));
  useEffect(() => {
    if (text === '') return undefined;
    const aborter = new AbortController();
    const { signal } = aborter;
    const note = (source: PaletteSource, entries: readonly PaletteEntry[], hasFailed: boolean): void => {
      if (signal.aborted) return;
      const { id, heading } = source;
      setFound((before) => {
        const groups = new Map(before.text === text ? before.groups : []);
        return { text, groups: groups.set(id, { id, heading, entries, hasFailed }) };
      });
    };
    const timer = setTimeout(() => {
      for (const source of paletteSources.filter(({ isFor }) => isFor(account))) {
        source.search(text, { account, signal }).then(
          (entries) => note(source, entries, false),
          () => note(source, [], true),
        );
      }
    }, typingMs);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text, account]);
  if (text === '') return { groups: [], isBusy: false };
  // The results for the previous text stay until there are new ones, so that nothing flickers.
  const groups = sources.flatMap(({ id }) => found.groups.get(id) ?? []);
  const isBusy = found.text !== text || found.groups.size < sources.length;
  return { groups: groups.filter(({ entries, hasFailed }) => entries.length > 0 || hasFailed), isBusy };
}
