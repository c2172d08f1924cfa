import { posix } from 'node:path';
import { escapeHtml } from '../../server/src/reference/markup.ts';
import { guides } from './guides.ts';

const slugs = new Map(guides.map(({ file, slug }) => [file, slug]));

/**
 * Renders a link of a document. One to another document leads there, one to the web opens beside the portal, and one to a
 * file that the portal does not show is only its text.
 */
export function link(target: string, from: string, html: string): string {
  if (/^https?:\/\//.test(target))
    return `<a href="${escapeHtml(target)}" target="_blank" rel="noopener noreferrer">${html}</a>`;
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return html;
  const [path = '', anchor] = target.split('#', 2);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return `<a href="${escapeHtml(hash)}">${html}</a>`;
  const slug = slugs.get(posix.join(posix.dirname(from), decodeURIComponent(path)));
  return slug === undefined ? html : `<a href="${escapeHtml(documentPath(slug) + hash)}">${html}</a>`;
}

/** Returns a document's path as the browser sees it. */
export function documentPath(slug: string): string {
  return `/portal/docs/${slug}`;
}
