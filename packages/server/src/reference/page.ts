import { createHash } from 'node:crypto';
import { escapeHtml } from './markup.ts';
import { style } from './style.ts';

/** An entry in the table of contents, with those below it. */
export interface ContentsEntry {
  readonly anchor: string;
  readonly text: string;
  readonly entries?: readonly ContentsEntry[];
}

/** The content of a page. */
export interface PageContent {
  readonly title: string;
  readonly contents: readonly ContentsEntry[];
  /** Links to other pages. */
  readonly links: readonly { readonly href: string; readonly text: string }[];
  /** HTML in which everything is escaped. */
  readonly main: string;
}

/** Renders an HTML page that loads and runs nothing. */
export function writePage({ title, contents, links, main }: PageContent): string {
  const others = links.map(
    ({ href, text }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Countersign</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<div class="frame">
<nav id="contents" aria-label="Contents">
<a class="brand" href="/docs">Countersign</a>
<ul class="pages">${others.join('')}</ul>
${list(contents)}
</nav>
<main id="content">
<h1>${escapeHtml(title)}</h1>
${main}
</main>
</div>
<a class="up" href="#contents">Contents</a>
</body>
</html>
`;
}

/** Renders a heading that links to itself, so that its URL can be copied. */
export function heading(level: 2 | 3, anchor: string, html: string): string {
  return `<h${level}><a href="#${anchor}">${html}</a></h${level}>`;
}

/** Allows a reference page to use its own style, and nothing else. */
export const pageSecurityPolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function list(entries: readonly ContentsEntry[]): string {
  const items = entries.map(
    ({ anchor, text, entries: below = [] }) =>
      `<li><a href="#${anchor}">${escapeHtml(text)}</a>${below.length === 0 ? '' : list(below)}</li>`,
  );
  return `<ul>${items.join('\n')}</ul>`;
}
