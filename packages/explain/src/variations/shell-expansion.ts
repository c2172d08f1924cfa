/** Advice about a shell that replaces names. */
export const inSingleQuotes =
  'Put texts with $ in single quotes, or build them in a program: between double quotes, a shell replaces names after $.';

/** A text as a shell leaves it between double quotes, where unset variables become empty. */
export interface ShellText {
  readonly text: string;
  /** The names that were replaced. */
  readonly names: readonly string[];
}

/**
 * Lists the results of a shell for a text with dollar signs: every name replaced, or only names of letters,
 * since `$5` is empty in most programs, but not in all.
 */
export function withoutShellNames(text: string): readonly ShellText[] {
  if (!text.includes('$')) return [];
  return [everyName, wordNames].flatMap((pattern) => {
    const names = text.match(pattern) ?? [];
    return names.length === 0 ? [] : { text: text.replace(pattern, ''), names: [...new Set(names)] };
  });
}

const everyName = /\$(?:[A-Za-z_]\w*|\{[^{}]*\}|[0-9])/g;
const wordNames = /\$(?:[A-Za-z_]\w*|\{[^{}]*\})/g;
