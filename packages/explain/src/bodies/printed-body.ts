/** Texts that languages print for objects, instead of their content. */
const names: readonly (readonly [language: string, pattern: RegExp])[] = [
  ['JavaScript', /^"?\[object [A-Z]\w*\](?:,\[object [A-Z]\w*\])*"?$/],
  ['.NET', /^System\.[\w.]+(?:`\d+\[[\w.,`[\] ]+\]|\[\])?$/],
  ['PHP', /^Array(?:\s*\(\s.*\))?$/s],
  ['PHP', /^(?:a:\d+:\{.*\}|array \(\s.*\)|array\(\d+\) \{\s.*\})$/s],
  ['Perl', /^(?:\$VAR1 = .*;|(?:HASH|ARRAY)\(0x[0-9a-f]+\))$/s],
  ['PowerShell', /^@\{\w+=.*\}$/s],
  ['Elixir', /^%\{.*\}$/s],
  ['Scala', /^(?:Map|HashMap)\(.* -> .*\)$/s],
  ['Go', /^&?map\[.*\]$/s],
  ['Node', /^\{\s+[\w$']+: .*\}$|^\[\s+(?:\{ [\w$]+: |').*\]$/s],
  ['Ruby', /^\[?\{(?:"[^"]*"|:\w+) ?=> ?.*\}\]?$/s],
  ['Python', /^\[?\{'[^']*': .*\}\]?$/s],
  ['Java', /^\[?\{[\w.$-]+=.*\}\]?$/s],
  ['Java', /^[a-z]\w*(?:\.\w+)+@[0-9a-f]{4,8}$/],
  ['Python', /^<[\w.]+ object at 0x[0-9a-f]+>$/],
];

/** Returns the language that printed a body. Undefined for JSON and for everything ambiguous. */
export function printedBy(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > textMax) return undefined;
  return names.find(([, pattern]) => pattern.test(trimmed))?.[0];
}

/** The text in a body that is a JSON string. */
export function quotedText(text: string): string | undefined {
  if (text.length > textMax || !/^\s*"/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

const textMax = 16 * 1024;
