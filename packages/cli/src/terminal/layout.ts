import { visible } from './visible.ts';

/** A label and its value; a value that is undefined is left out. */
export type Field = readonly [label: string, value: string | undefined];

/** Lines of labels and values, the values below each other. Values come from anywhere and are made safe. */
export function fieldLines(fields: readonly Field[], indent: string = '  '): string {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined);
  const width = Math.max(0, ...shown.map(([label]) => label.length)) + 2;
  return shown.map(([label, value]) => `${indent}${label.padEnd(width)}${visible(value)}\n`).join('');
}

/** A table with a row of titles. Cells are made safe. */
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

/** Breaks a text at spaces so that a line has at most `width` characters; each line starts with `indent`. */
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
