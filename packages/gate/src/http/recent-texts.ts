/** How much is kept. */
export interface RecentTextsLimits {
  readonly textsMax: number;
  /** Longer texts are read each time. */
  readonly lengthMax: number;
}

/**
 * Creates a function that returns what a text means, and keeps that for recent texts, because messages repeat
 * the same few. The meaning must depend on the text alone.
 *
 * What is kept is bounded, because callers and upstreams can invent texts: when it is full, it starts again, so
 * that invented ones cannot displace the others for good.
 */
export function keepRecent<Meaning extends string | object>(
  read: (text: string) => Meaning,
  { textsMax, lengthMax }: RecentTextsLimits,
): (text: string) => Meaning {
  const recent = new Map<string, Meaning>();
  return (text) => {
    if (text.length > lengthMax) return read(text);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const meaning = read(text);
    if (recent.size >= textsMax) recent.clear();
    recent.set(text, meaning);
    return meaning;
  };
}

/** Enough for the names of header fields. */
export const recentNames: RecentTextsLimits = { textsMax: 2000, lengthMax: 64 };
