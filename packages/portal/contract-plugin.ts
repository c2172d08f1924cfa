import { operations } from '@countersign/contract/operations';
import { problems } from '@countersign/contract/problems';
import type { Plugin } from 'vite';
import { findingTitles as germanTitles } from './src/messages/de/finding-titles.ts';
import { findingTitles as englishTitles } from './src/messages/en/finding-titles.ts';

const operationTable = /packages[\\/]contract[\\/]src[\\/]operations\.ts$/;
const problemTable = /packages[\\/]contract[\\/]src[\\/]problems\.ts$/;
const tableText = /(?<=^const table = )\{.*?^\}(?= as const;)/ms;
const details = /messages[\\/]en[\\/]problem-details\.ts$/;
const findingTitles = /messages[\\/]\w+[\\/]finding-titles\.ts$/;

/**
 * Leaves out of the contract's tables what only the service needs, which is most of them: of an operation all but the request to
 * send, and of a problem its words. English titles stay, and English advice is in the module that shows it. Writes out the titles
 * of findings, which lists show without the rest of their table.
 */
export function contractPlugin(language: string): Plugin {
  return {
    name: 'contract',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (importer === undefined || !details.test(importer)) return undefined;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      return resolved && { ...resolved, id: `${resolved.id}?whole` };
    },
    load(id) {
      if (operationTable.test(id)) return sentOperations();
      return findingTitles.test(id) ? titlesOfFindings(language) : undefined;
    },
    transform(code, id) {
      if (!problemTable.test(id)) return undefined;
      if (!tableText.test(code)) throw new Error(`${id} has no table of problems.`);
      return { code: code.replace(tableText, () => shownProblems(language)), map: null };
    },
  };
}

function sentOperations(): string {
  const sent = Object.values(operations).map(({ id, method, path, callers }) => [
    id,
    { id, method, path, callers },
  ]);
  return `export const operations = ${JSON.stringify(Object.fromEntries(sent))};\n`;
}

function titlesOfFindings(language: string): string {
  const titles = language === 'de' ? germanTitles : englishTitles;
  return `export const findingTitles = new Map(${JSON.stringify([...titles])});\n`;
}

function shownProblems(language: string): string {
  const shown = Object.entries(problems).map(([code, { status, check, metBy, title }]) => [
    code,
    { status, check, metBy, ...(language === 'en' && { title }) },
  ]);
  return JSON.stringify(Object.fromEntries(shown));
}
