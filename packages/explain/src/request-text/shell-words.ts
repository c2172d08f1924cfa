import { incomplete } from './request-text-error.ts';

export interface ShellWords {
  readonly words: readonly string[];
  /** The operator that ended the command, if any: `|`, `&`, `;` or a redirection. */
  readonly endedBy: string | undefined;
}

/**
 * Splits the first command of a line like a POSIX shell, including Bash's `$'…'`, or like the Windows shell in the
 * form that browsers copy. Runs and expands nothing: throws a RequestTextError for variables and command
 * substitutions, whose values are unknown.
 */
export function splitShellWords(line: string): ShellWords {
  const text = isOfWindows(line) ? line.replaceAll(/\^(?:\r?\n|(.))/gs, '$1') : line;
  const words: string[] = [];
  let word: string | undefined;
  let position = 0;
  while (position < text.length) {
    const token = tokenAt(text, position);
    position += token.length;
    if (token.kind === 'part') word = (word ?? '') + token.text;
    else {
      if (word !== undefined) words.push(word);
      word = undefined;
      if (token.kind === 'end') return { words, endedBy: token.text };
    }
  }
  if (word !== undefined) words.push(word);
  return { words, endedBy: undefined };
}

interface Token {
  readonly kind: 'part' | 'gap' | 'end';
  readonly text: string;
  /** The token's length in the line. */
  readonly length: number;
}

function isOfWindows(line: string): boolean {
  return /\^"|\^\r?\n/.test(line);
}

function tokenAt(text: string, position: number): Token {
  const rest = text.slice(position);
  const [gap] = /^(?:[ \t\r]|\\\r?\n)+/.exec(rest) ?? [];
  if (gap !== undefined) return { kind: 'gap', text: '', length: gap.length };
  const [end] = /^(?:[|&;<>\n]|\d>)/.exec(rest) ?? [];
  if (end !== undefined) return { kind: 'end', text: end, length: end.length };
  const [ansi, ansiText] = /^\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)'/.exec(rest) ?? [];
  if (ansi !== undefined) return part(ansi, readAnsi(ansiText!));
  const [single, singleText] = /^'([^']*)'/.exec(rest) ?? [];
  if (single !== undefined) return part(single, singleText!);
  const [double, doubleText] = /^"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/.exec(rest) ?? [];
  if (double !== undefined) {
    refuseExpansion(doubleText!.replaceAll(/\\[\s\S]/g, ''));
    return part(
      double,
      doubleText!.replaceAll(/\\([$`"\\]|\r?\n)/g, (_, one: string) => (one.endsWith('\n') ? '' : one)),
    );
  }
  if (/^["']/.test(rest)) throw incomplete(`The curl line has an unclosed quote: ${rest.slice(0, 30)} …`);
  if (rest.startsWith('\\')) return part(rest.slice(0, 2), rest.slice(1, 2));
  const [plain] = /^[^\s'"\\$`|&;<>]+/.exec(rest) ?? [];
  if (plain !== undefined) return part(plain, plain);
  refuseExpansion(rest.slice(0, 200));
  return part(rest[0]!, rest[0]!);
}

function part(source: string, text: string): Token {
  return { kind: 'part', text, length: source.length };
}

function refuseExpansion(text: string): void {
  const [found] = /\$(?:\w+|\{[^}]*\}|\([^)]*\))|`[^`]*`/.exec(text) ?? [];
  if (found === undefined) return;
  throw incomplete(
    `The shell replaces ${found} in the curl line. Enter the line with the value that was sent; ` +
      '"set -x" before the command shows it.',
  );
}

const ansiLetters: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  f: '\f',
  v: '\v',
};

/** ANSI-C quoting, which browsers use to copy bodies with line ends or non-Latin text. */
function readAnsi(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-fA-F]{1,4})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g,
    (_, four?: string, two?: string, octal?: string, letter?: string) => {
      const hex = four ?? two;
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ansiLetters[letter!] ?? letter!;
    },
  );
}
