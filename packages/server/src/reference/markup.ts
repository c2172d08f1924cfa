/** Text as it stands in HTML, in an element or in quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** One line of the texts of the contract: escaped, with `code` and *emphasis*. */
export function inline(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g, '<em>$1</em>');
}

/** Paragraphs that are parted by empty lines, and blocks of code between lines of three backticks. */
export function paragraphs(text: string): string {
  return text
    .split(/\n\n+/)
    .map((part) => {
      const code = /^```\n([^]*)\n```$/.exec(part)?.[1];
      return code === undefined ? `<p>${inline(part)}</p>` : `<pre>${escapeHtml(code)}</pre>`;
    })
    .join('\n');
}
