import { shellWord } from '../code/shell-word.ts';

interface CurlValues {
  /** The service's public base URL. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** A private Ed25519 key in PEM, and the file for its digits. */
  readonly privateKeyFile: string;
  readonly digitsFile: string;
}

/**
 * Returns the command that writes a private Ed25519 key as curl reads it: its 32 bytes, which are the last ones of PKCS #8
 * (RFC 8410 section 7), as hexadecimal digits. Only the file's owner can read it.
 */
export function digitsCommand({ privateKeyFile, digitsFile }: CurlValues): string {
  const read = `openssl pkey -in ${shellWord(privateKeyFile)} -outform DER`;
  return `(umask 077; ${read} |\n  tail -c 32 | od -An -v -tx1 | tr -d ' \\n' > ${shellWord(digitsFile)})`;
}

/** Returns the command that sends a request which curl signs. The options are those of curl 8.22's docs/cmdline-opts/httpsig-*.md. */
export function curlCommand({ baseUrl, clientId, digitsFile }: CurlValues): string {
  return [
    'curl --httpsig-algo ed25519',
    `--httpsig-key ${shellWord(digitsFile)}`,
    `--httpsig-keyid ${shellWord(clientId)}`,
    shellWord(`${baseUrl.replace(/\/+$/, '')}/v1/signature-test`),
  ].join(' \\\n  ');
}
