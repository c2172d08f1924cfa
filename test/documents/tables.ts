/** Returns the section with this heading, up to the next heading of any level. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (start < 0) throw new Error(`There is no heading "${heading}".`);
  const length = lines.slice(start + 1).findIndex((line) => /^#{1,6} /.test(line));
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** Returns the cells of the first table, without its head. */
export function tableRows(text: string): string[][] {
  const [first] = tables(text);
  if (first === undefined) throw new Error('There is no table in this text.');
  return first.rows;
}

/** Returns all tables, with the cells of their heads and rows. */
export function tables(text: string): { readonly head: string[]; readonly rows: string[][] }[] {
  const found: { head: string[]; rows: string[][] }[] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!/^\|(?:-+\|)+$/.test(line)) continue;
    const end = lines.findIndex((each, at) => at > index && !each.startsWith('|'));
    const rows = lines.slice(index + 1, end < 0 ? undefined : end).map(cellsOf);
    found.push({ head: cellsOf(lines[index - 1] ?? ''), rows });
  }
  return found;
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

/** Returns the words in code marks that look like a problem code: lower-case letters and underscores. */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map((match) => match[1] ?? '');
}
