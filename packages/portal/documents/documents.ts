import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocumentGroup, documentGroups, guides } from './guides.ts';
import { guideHtml, textOf } from './guide-html.ts';
import { referenceParts } from './reference-html.ts';

/** A document as the portal shows it. */
export interface PortalDocument {
  /** Its path below `/docs/`. */
  readonly slug: string;
  readonly title: string;
  readonly group: DocumentGroup;
  /** The HTML below the title: from files of the repository alone, and everything in it is escaped. */
  readonly html: string;
  readonly headings: readonly DocumentHeading[];
}

export interface DocumentHeading {
  readonly anchor: string;
  readonly text: string;
  readonly level: number;
}

/** A part of a document that a search can find. */
export interface DocumentSection {
  readonly slug: string;
  /** Empty for what stands above the first heading. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The files that the documents are made of, besides the code that makes them. */
export const documentFiles: readonly string[] = guides.map(({ file }) => join(repository, file));

/** Renders all documents in the order of the portal's list. */
export function renderDocuments(): readonly PortalDocument[] {
  const fromFiles = guides.map((guide): PortalDocument => {
    const { title, html } = guideHtml(readFileSync(join(repository, guide.file), 'utf8'), guide);
    return documentOf(guide.slug, guide.title ?? title, guide.group, html);
  });
  const reference = referenceParts().map(({ slug, title, html }) =>
    documentOf(slug, title, 'API reference', html),
  );
  const all = [...fromFiles, ...reference];
  return documentGroups.flatMap((group) => all.filter((one) => one.group === group));
}

function documentOf(slug: string, title: string, group: DocumentGroup, html: string): PortalDocument {
  const headings = [...html.matchAll(/<h([2-3]) id="([^"]*)">([^]*?)<\/h\1>/g)].map(
    ([, level, anchor = '', inner = '']) => ({ anchor, text: textOf(inner), level: Number(level) }),
  );
  return { slug, title, group, html, headings };
}

/** Splits documents at their headings. */
export function sectionsOf(documents: readonly PortalDocument[]): readonly DocumentSection[] {
  return documents.flatMap(({ slug, title, html }) =>
    html.split(/(?=<h[2-6] id=")/).flatMap((part) => {
      const [, anchor = '', inner] = /^<h[2-6] id="([^"]*)">([^]*?)<\/h[2-6]>/.exec(part) ?? [];
      const heading = inner === undefined ? title : textOf(inner);
      const text = textOf(
        part
          .replace(/^<h[2-6][^]*?<\/h[2-6]>/, '')
          .replaceAll(/<(?=\/?(?:p|li|td|th|dt|dd|div|pre|h\d))/g, ' <'),
      );
      const section = { slug, anchor, heading, text: text.replaceAll(/\s+/g, ' ').trim() };
      return anchor === '' && section.text === '' ? [] : [section];
    }),
  );
}
