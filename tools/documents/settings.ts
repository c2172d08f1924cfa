/** Returns the environment variables of a table of settings, an array or an object of entries. */
export function environmentNames(settings: unknown): string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.values(settings).flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('environment' in entry)) return [];
    return typeof entry.environment === 'string' ? [entry.environment] : [];
  });
}

/** Compares `docs/operations/settings.md` with the settings: it must explain each, and name no unknown one. */
export function checkSettings(path: string, text: string, names: readonly string[]): string[] {
  if (names.length === 0) return ['The table of settings is empty: there is nothing to compare with.'];
  const words = namesIn(text);
  const missing = names.filter((name) => !words.has(name));
  return [
    ...missing.map((name) => `${path} does not explain the setting ${name}.`),
    ...findUnknownSettings(path, text, names),
  ];
}

/** Finds settings that a page names and that do not exist. */
export function findUnknownSettings(path: string, text: string, names: readonly string[]): string[] {
  const prefix = commonPrefix(names);
  // Names the file with the settings, and is not a setting itself.
  const known = new Set([...names, `${prefix}CONFIGURATION_FILE`]);
  const unknown =
    prefix === '' ? [] : [...namesIn(text)].filter((word) => word.startsWith(prefix) && !known.has(word));
  return unknown.map((word) => `${path} names ${word}, which is no setting.`);
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g));
}

/** The common prefix of all names, with its underscore: `COUNTERSIGN_`. */
function commonPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names;
  let length = first.lastIndexOf('_') + 1;
  while (length > 0 && !others.every((name) => name.startsWith(first.slice(0, length)))) {
    length = first.slice(0, length - 1).lastIndexOf('_') + 1;
  }
  return first.slice(0, length);
}
