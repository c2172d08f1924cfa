import { escapeHtml } from '../../server/src/reference/markup.ts';
import { isLanguage, tokensOf } from '../src/code/tokens.ts';

/** What the page fills in once it knows the person's account: the texts that stand for it in the documents. */
const places =
  /(?<baseUrl>https:\/\/api\.example\.com(?=[/\s"'`\\]|$)|http:\/\/127\.0\.0\.1:8421)|(?<clientId>client_…|client_01m7xp8vap0ece1swwccz1jnzr)/gm;

/**
 * Renders highlighted code with a button that copies it.
 *
 * @param language as the fence names it; an unknown one is shown as plain text
 */
export function codeBlock(code: string, language: string, keepsExamples = false): string {
  const known = isLanguage(language) ? language : 'text';
  const tokens = tokensOf(code, known).map(({ kind, text }) => {
    const html = keepsExamples ? escapeHtml(text) : withPlaces(text, kind === 'string');
    return kind === undefined ? html : `<span class="code-${kind}">${html}</span>`;
  });
  return `<div class="document-code"><pre><code data-language="${known}">${tokens.join('')}</code></pre><button type="button" data-copy>Copy</button></div>\n`;
}

function withPlaces(text: string, isString: boolean): string {
  let html = '';
  let end = 0;
  for (const { 0: found, index, groups } of text.matchAll(places)) {
    const clientId = isString ? 'clientIdInString' : 'clientId';
    const name = groups?.['baseUrl'] === undefined ? clientId : 'baseUrl';
    html += `${escapeHtml(text.slice(end, index))}<span data-fill="${name}">${escapeHtml(found)}</span>`;
    end = index + found.length;
  }
  return html + escapeHtml(text.slice(end));
}
