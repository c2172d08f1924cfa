/** The text of the section with this heading, up to the next heading of any level. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (start < 0) throw new Error(`There is no heading "${heading}".`);
  const length = lines.slice(start + 1).findIndex((line) => /^#{1,6} /.test(line));
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** The cells of the first table in a text, without its head. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n');
  const rule = lines.findIndex((line) => /^\|(?:-+\|)+$/.test(line));
  if (rule < 0) throw new Error('There is no table in this text.');
  const rows: string[][] = [];
  for (const line of lines.slice(rule + 1)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

/** The words in code marks that look like a code: lower-case letters and underscores. */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map((match) => match[1] ?? '');
}
