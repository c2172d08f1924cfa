/** Has the browser save a text as a file. Nothing leaves the page. */
export function saveText(text: string, fileName: string, type = 'application/x-pem-file'): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // Some browsers read the file only after the click; a URL that stays would keep the text in memory.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
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
