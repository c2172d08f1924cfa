/** Offers a text as a file, by the browser's own saving. Nothing leaves the page. */
export function saveText(text: string, fileName: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-pem-file' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser has taken the text by then; an address that stays would keep the text in memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name as the stem of a file: letters, digits and hyphens, `client` when nothing is left. */
export function fileStem(name: string): string {
  const stem = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return stem === '' ? 'client' : stem;
}
