import { fileStem } from './save-text.ts';

/**
 * Names the file of a private key after its client and its fingerprint, so that the snippets find it and the two keys of a
 * rotation get two files. Any client name and fingerprint give a safe name.
 *
 * @param fingerprint of the public key; undefined if it is not known
 */
export function privateKeyFile(clientName: string, fingerprint: string | undefined): string {
  const mark = (fingerprint ?? '')
    .replace(/^SHA256:/, '')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 8);
  return [fileStem(clientName), ...(mark === '' ? [] : [mark.toLowerCase()]), 'private.pem'].join('-');
}

const savedFiles = new Map<string, string>();

/** Remembers, as long as the page is open, the file name under which a private key was saved. */
export function noteSavedKeyFile(fingerprint: string | undefined, fileName: string): void {
  if (fingerprint !== undefined) savedFiles.set(fingerprint, fileName);
}

/**
 * Returns the file name under which the private key of a fingerprint was saved here; undefined if it came
 * from elsewhere.
 */
export function savedKeyFile(fingerprint: string | undefined): string | undefined {
  return fingerprint === undefined ? undefined : savedFiles.get(fingerprint);
}
