import type { Cell } from './cell.ts';
import type { LanguageTable } from './run.ts';

/** Prints the table of a language as Markdown, followed by the reasons of cells that are not run. */
export function tableText({ language, clients, rows }: LanguageTable): string {
  const reasons: string[] = [];
  const text = (cell: Cell): string => {
    if (cell.kind !== 'impossible') return cellText(cell);
    if (!reasons.includes(cell.reason)) reasons.push(cell.reason);
    return `– (${reasons.indexOf(cell.reason) + 1})`;
  };
  const lines = [
    [language, ...clients],
    ['---', ...clients.map(() => '---')],
    ...rows.map(({ name, cells }) => [name, ...cells.map(text)]),
  ].map((row) => `| ${row.map((one) => one.replaceAll('|', '\\|')).join(' | ')} |`);
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return [...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

/** Counts the cells of a language by kind, in a line. */
export function countsText({ language, clients, rows }: LanguageTable): string {
  const cells = rows.flatMap((row) => row.cells);
  const count = (kind: Cell['kind']): number => cells.filter((cell) => cell.kind === kind).length;
  const { length } = clients;
  return `${language}: ${length} client${length === 1 ? '' : 's'}, ${count('right')} right, ${count('code')} errors with a documented code, ${count('impossible')} not possible, ${count('wrong')} wrong`;
}

/** The text of a cell that was run. */
export function cellText(cell: Cell): string {
  switch (cell.kind) {
    case 'right':
      return cell.note === undefined ? 'right' : `right: ${cell.note}`;
    case 'code':
      return `\`${cell.code}\``;
    case 'wrong':
      return `WRONG: ${cell.what}`;
    case 'impossible':
      return `–: ${cell.reason}`;
  }
}
