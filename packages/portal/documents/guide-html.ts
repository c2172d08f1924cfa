import { Marked, type Tokens } from 'marked';
import { readMarkdown } from '../../../tools/documents/markdown.ts';
import { escapeHtml } from '../../server/src/reference/markup.ts';
import { codeBlock } from './code-html.ts';
import type { Guide } from './guides.ts';
import { link } from './links.ts';

/**
 * Renders a Markdown file: HTML in it is shown as text, images are left out, and headings have the anchors that GitHub
 * gives them.
 *
 * @returns the first heading's text, and the HTML below it
 */
export function guideHtml(
  markdown: string,
  { file, keepsExamples = false }: Guide,
): { title: string; html: string } {
  const headings = readMarkdown(markdown).headings.values();
  let title = '';
  const marked = new Marked();
  marked.use({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      code: ({ text, lang = '' }) => codeBlock(text, lang.split(/\s/)[0] ?? '', keepsExamples),
      link({ href, tokens }) {
        return link(href, file, this.parser.parseInline(tokens));
      },
      heading({ tokens, depth }) {
        const heading = headings.next().value;
        const html = this.parser.parseInline(tokens);
        if (heading === undefined || !textOf(html).startsWith(heading.text.slice(0, 3)))
          throw new Error(`${file}: the heading "${textOf(html)}" has no anchor.`);
        if (depth > 1) return `<h${depth} id="${escapeHtml(heading.anchor)}">${html}</h${depth}>\n`;
        title = heading.text;
        return '';
      },
      table({ header, rows }) {
        const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td'): string =>
          `<tr>${cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('')}</tr>\n`;
        const body = rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="document-table" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(markdown.replace(/<!--[^]*?-->\n?/g, '')) as string;
  return { title, html };
}

/** Returns the text of HTML that this folder rendered. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<button[^]*?<\/button>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
