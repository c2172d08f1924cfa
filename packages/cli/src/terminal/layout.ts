import type { Colours } from './report.ts';
import { visible } from './visible.ts';

/** A label and its value. Fields without a value are not shown. */
export type Field = readonly [label: string, value: string | undefined];

/** Formats labels and values in two columns, escaping untrusted values. */
export function fieldLines(fields: readonly Field[], indent: string = '  '): string {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined);
  const width = Math.max(0, ...shown.map(([label]) => label.length)) + 2;
  return shown.map(([label, value]) => `${indent}${label.padEnd(width)}${visible(value)}\n`).join('');
}

/** Formats a table with a title row, escaping untrusted cells. */
export function tableLines(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows.map((row) => row.map(visible))];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Breaks text at spaces into indented lines of at most `width` characters. */
export function wrapped(text: string, indent: string, width: number = 100): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((each) => `${indent}${each}\n`).join('');
}

/**
 * Shows a signature base with its line ends: they are signed too, except after the last line, which is where
 * signers often go wrong.
 */
export function signatureBaseText(
  title: string,
  base: string,
  { strong, faint }: Colours,
  hint = 'sign exactly these bytes',
): string {
  const lines = base.split('\n');
  const shown = lines.map(
    (line, index) => `  ${visible(line)}${index + 1 < lines.length ? faint('<LF>') : ''}\n`,
  );
  return `${strong(title)} ${faint(`(${hint}; <LF> is one line feed)`)}\n${shown.join('')}`;
}
