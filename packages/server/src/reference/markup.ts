/** Escapes text for HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Renders one line of the contract's texts: escaped, with `code` and *emphasis*. */
export function inline(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g, '<em>$1</em>');
}

/** Renders paragraphs separated by empty lines, and code blocks between lines of three backticks. */
export function paragraphs(text: string): string {
  return text
    .split(/\n\n+/)
    .map((part) => {
      const code = /^```\n([^]*)\n```$/.exec(part)?.[1];
      return code === undefined ? `<p>${inline(part)}</p>` : `<pre>${escapeHtml(code)}</pre>`;
    })
    .join('\n');
}
