import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkExecutableBlocks, executableBlocks } from './executable-blocks.ts';
import { checkWords } from './forbidden-words.ts';
import { checkLinks } from './links.ts';
import { type MarkdownDocument, readMarkdown } from './markdown.ts';
import { type DocumentedProblems, checkProblemCodes } from './problem-codes.ts';
import { readText, repositoryFiles } from './repository-files.ts';
import { checkSettings, environmentNames, findUnknownSettings } from './settings.ts';
import { checkWording } from './wording.ts';

const errorsPage = 'docs/errors.md';
const problemsTable = 'packages/contract/src/problems.ts';
const settingsPage = 'docs/operations/settings.md';
/** Its pages also name settings. */
const operationsFolder = 'docs/operations/';
const settingsTable = 'packages/server/src/configuration/settings.ts';

export interface DocumentReport {
  readonly documentCount: number;
  /** One sentence each, with its place. */
  readonly findings: readonly string[];
}

/**
 * Checks the documents of the repository at `root` against its files, its code, the forbidden words and the
 * unused phrases.
 */
export async function checkDocuments(root: string): Promise<DocumentReport> {
  const files = repositoryFiles(root);
  const texts = new Map<string, string>();
  for (const path of files) {
    const text = readText(root, path);
    if (text !== undefined) texts.set(path, text);
  }
  const documents = new Map<string, MarkdownDocument>();
  for (const [path, text] of texts) if (path.endsWith('.md')) documents.set(path, readMarkdown(text));
  const blocks = [...documents].flatMap(([path, document]) => executableBlocks(path, document));
  return {
    documentCount: documents.size,
    findings: [
      ...(documents.size === 0 ? ['There are no documents: the check looked at nothing.'] : []),
      ...checkLinks(documents, files),
      ...[...texts].flatMap(([path, text]) => checkWords(path, text)),
      ...[...texts].flatMap(([path, text]) => checkWording(path, text)),
      ...checkExecutableBlocks(blocks),
      ...(await compareCodes(root, texts, documents)),
      ...(await compareSettings(root, texts)),
    ],
  };
}

async function compareCodes(
  root: string,
  texts: ReadonlyMap<string, string>,
  documents: ReadonlyMap<string, MarkdownDocument>,
): Promise<string[]> {
  const text = texts.get(errorsPage);
  const markdown = documents.get(errorsPage);
  if (text === undefined || markdown === undefined)
    return [`${errorsPage} is missing: it explains every code.`];
  const table = await importTable(root, problemsTable, 'problems');
  if (!table.ok) return [table.message];
  return checkProblemCodes(errorsPage, markdown, text, table.value as DocumentedProblems);
}

async function compareSettings(root: string, texts: ReadonlyMap<string, string>): Promise<string[]> {
  const text = texts.get(settingsPage);
  if (text === undefined) return [`${settingsPage} is missing: it explains every setting.`];
  const table = await importTable(root, settingsTable, 'settings');
  if (!table.ok) return [table.message];
  const names = environmentNames(table.value);
  const others = [...texts].filter(([path]) => path.startsWith(operationsFolder) && path !== settingsPage);
  return [
    ...checkSettings(settingsPage, text, names),
    ...others.flatMap(([path, other]) => findUnknownSettings(path, other, names)),
  ];
}

type Table =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

async function importTable(root: string, path: string, name: string): Promise<Table> {
  if (!existsSync(join(root, path)))
    return { ok: false, message: `${path} is missing: the documents are compared with it.` };
  try {
    const module = (await import(pathToFileURL(join(root, path)).href)) as Readonly<Record<string, unknown>>;
    const value = module[name];
    if (typeof value === 'object' && value !== null) return { ok: true, value };
    return { ok: false, message: `${path} does not export the table ${name}.` };
  } catch (error) {
    return {
      ok: false,
      message: `${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
