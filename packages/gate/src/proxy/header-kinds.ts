/** Beyond this, names are classified each time. */
const keptMax = 2000;
const keptLengthMax = 64;

/**
 * Makes a function that classifies header names and keeps what it found, because messages repeat the same few names. What it
 * keeps is bounded, because callers and upstreams may make up names.
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
