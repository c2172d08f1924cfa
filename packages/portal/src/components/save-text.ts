/** Saves a text as a file in the browser. Nothing leaves the page. */
export function saveText(text: string, fileName: string, type = 'application/x-pem-file'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // Long enough for the browser to read it. Without this, the text would stay in memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Turns a name into a file name stem of letters, digits and hyphens; `client` if nothing is left. */
export function fileStem(name: string): string {
  const stem = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return stem === '' ? 'client' : stem;
}
