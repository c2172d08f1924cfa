import type { Plugin } from 'vite';
import { documentFiles, type PortalDocument, renderDocuments, sectionsOf } from './documents.ts';
import { readSnippets, snippetFiles } from './snippets.ts';

const list = 'virtual:documents';
const search = 'virtual:documents/search';
const one = 'virtual:documents/one/';
const snippets = 'virtual:snippets';

/** Makes the documents modules of the portal: the list, each document and the search index, which load when they are needed; and the programs. */
export function documentsPlugin(): Plugin {
  let documents: readonly PortalDocument[] | undefined;
  const all = (): readonly PortalDocument[] => (documents ??= renderDocuments());
  return {
    name: 'documents',
    buildStart() {
      documents = undefined;
      for (const file of [...documentFiles, ...snippetFiles()]) this.addWatchFile(file);
    },
    resolveId: (id) => (id === list || id === snippets || id.startsWith(`${list}/`) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${list}`) return listModule(all());
      if (id === `\0${snippets}`) return asModule(readSnippets());
      if (id === `\0${search}`) return asModule(sectionsOf(all()));
      if (!id.startsWith(`\0${one}`)) return undefined;
      const document = all().find(({ slug }) => id === `\0${one}${slug}`);
      return document && asModule({ html: document.html, headings: document.headings });
    },
  };
}

function listModule(documents: readonly PortalDocument[]): string {
  const entries = documents.map(({ slug, title, group }) => {
    const facts = `slug: ${text(slug)}, title: ${text(title)}, group: ${text(group)}`;
    return `{ ${facts}, load: () => import(${text(one + slug)}) },`;
  });
  return `export const documents = [\n${entries.join('\n')}\n];
export const loadSections = () => import(${text(search)});\n`;
}

/** JSON.parse is quicker than a literal, and a text cannot be anything but data. */
function asModule(value: unknown): string {
  return `export default JSON.parse(${text(JSON.stringify(value))});\n`;
}

function text(value: string): string {
  return JSON.stringify(value);
}
