/** The number of names that are kept. Further names are classified each time. */
const keptMax = 2000;
const keptLengthMax = 64;

/**
 * Creates a function that classifies header names and caches the results, because messages repeat the same
 * few names. The cache is bounded, because callers and upstreams can invent names.
 */
export function keptKinds<Kind>(classify: (name: string) => Kind): (name: string) => Kind {
  const kinds = new Map<string, Kind>();
  return (name) => {
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const kind = classify(name);
    if (kinds.size < keptMax && name.length <= keptLengthMax) kinds.set(name, kind);
    return kind;
  };
}
