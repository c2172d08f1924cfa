import { openApiDocument } from '@countersign/contract';
import { referenceSections } from '../../server/src/reference/api-page.ts';
import { codeBlock } from './code-html.ts';
import { textOf } from './guide-html.ts';
import { documentPath } from './links.ts';

/** A part of the API reference. */
export interface ReferencePart {
  readonly slug: string;
  readonly title: string;
  readonly html: string;
}

/** Renders the service's own reference of the API, a document for each of its sections. */
export function referenceParts(): readonly ReferencePart[] {
  const sections = referenceSections(openApiDocument({ serverUrls: ['https://api.example.com'] }));
  const places = new Map<string, string>();
  for (const { anchor, html } of sections)
    for (const [, id = ''] of html.matchAll(/ id="([^"]*)"/g)) places.set(id, `api/${anchor}`);
  return sections.map(({ anchor, text, html }) => ({
    slug: `api/${anchor}`,
    title: text,
    html: asDocument(html, `api/${anchor}`, places),
  }));
}

/** Turns a section of a whole page into a document of its own: its heading is the page's title, the others move up. */
function asDocument(section: string, slug: string, places: ReadonlyMap<string, string>): string {
  return section
    .replace(/^<section id="[^"]*">/, '')
    .replace(/<\/section>$/, '')
    .replace(/<h2>[^]*?<\/h2>\n?/, '')
    .replaceAll(
      /<article id="([^"]*)"><h3><a href="[^"]*">([^]*?)<\/a><\/h3>/g,
      '<article><h2 id="$1">$2</h2>',
    )
    .replaceAll(/<h2 id="([^"]*)">[^]*?<\/article>/g, withTry)
    .replaceAll(/<(\/?)h4>/g, '<$1h3>')
    .replaceAll(/<pre>([^]*?)<\/pre>/g, (_, code: string) => {
      const text = textOf(code);
      return codeBlock(text, text.startsWith('countersign ') ? 'sh' : 'http');
    })
    .replaceAll(/href="#([^"]*)"/g, (_, anchor: string) => {
      const place = places.get(anchor) ?? slug;
      if (place === `api/${anchor}`) return `href="${documentPath(place)}"`;
      return place === slug ? `href="#${anchor}"` : `href="${documentPath(place)}#${anchor}"`;
    })
    .replaceAll('href="/docs/errors#', `href="${documentPath('errors')}#`)
    .replaceAll('href="/docs/troubleshooting#', `href="${documentPath('troubleshooting')}#`);
}

/** Adds a link to *Try it* to each operation that a client can call. */
function withTry(article: string, operationId: string): string {
  if (!article.includes('<pre>countersign request ')) return article;
  return article.replace(
    '</pre>',
    `</pre>\n<p><a href="/portal/try-it?operation=${operationId}">Try it</a></p>`,
  );
}
