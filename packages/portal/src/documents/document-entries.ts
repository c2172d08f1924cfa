import type { DocumentSection, ListedDocument } from 'virtual:documents';
import { documentPath } from './document-path.ts';
import { searchSections, searchWords } from './document-search.ts';

/** A document, an error code or an operation of the API, and where it is. */
export interface DocumentEntry {
  /** The path within the portal. */
  readonly path: string;
  readonly title: string;
  /** The document that it is a part of. */
  readonly detail?: string;
}

/** Finds a handful of documents and their parts for a palette, the best first. */
export function documentEntries(
  text: string,
  documents: readonly Pick<ListedDocument, 'slug' | 'title'>[],
  sections: readonly DocumentSection[],
  max: number,
): readonly DocumentEntry[] {
  const titles = new Map(documents.map(({ slug, title }) => [slug, title]));
  return searchSections(sections, searchWords(text), max).map(({ section: { slug, anchor, heading } }) => {
    const title = titles.get(slug);
    const entry = { path: documentPath(slug, { anchor }), title: heading };
    return title === undefined || title === heading ? entry : { ...entry, detail: title };
  });
}
