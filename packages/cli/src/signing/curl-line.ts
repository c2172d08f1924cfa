import type { SignedRequest } from '@countersign/signature/node';
import { CommandError, usageError } from '../exits.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { signatureLines } from './sign-outgoing.ts';

/** Longer arguments do not fit on every command line. */
const inlineBytesMax = 32 * 1024;

/**
 * Returns a curl command line for POSIX shells that sends a request exactly as signed: URL and body unchanged, and
 * without the headers that curl adds for forms.
 */
export function curlLine(signed: SignedRequest, request: OutgoingRequest): string {
  const hasType = request.headers.some(([name]) => name.toLowerCase() === 'content-type');
  const parts = [
    // Otherwise curl resolves dots and expands brackets and calls a different URL than the signed one.
    'curl --path-as-is --globoff',
    signed.method === 'HEAD' ? '--head' : `--request ${shellQuoted(signed.method)}`,
    ...[...signatureLines(signed), ...request.headers].map(([name, value]) => headerPart(name, value)),
    ...bodyParts(signed, request, hasType),
    shellQuoted(signed.url),
  ];
  return `${parts.join(' \\\n  ')}\n`;
}

/** Quotes text for a POSIX shell if it needs quotes. */
export function shellQuoted(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function headerPart(name: string, value: string): string {
  // curl drops a header with an empty value unless it is written with a semicolon.
  return `--header ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

function bodyParts(signed: SignedRequest, request: OutgoingRequest, hasType: boolean): string[] {
  const noType = hasType ? [] : ["--header 'Content-Type:'"];
  if (request.body === undefined) {
    // The service should see "Content-Length: 0", not a missing length.
    return ['POST', 'PUT', 'PATCH'].includes(signed.method) ? [...noType, "--data-binary ''"] : [];
  }
  if (signed.method === 'HEAD') throw usageError('curl cannot send HEAD with a body.');
  if (typeof request.bodySource === 'object') {
    return [...noType, `--data-binary ${shellQuoted(`@${request.bodySource.file}`)}`];
  }
  const text = inlineText(request.body);
  // Only --data-raw takes text that starts with @ literally.
  return [...noType, `${text.startsWith('@') ? '--data-raw' : '--data-binary'} ${shellQuoted(text)}`];
}

function inlineText(body: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const isExact = Buffer.from(text, 'utf8').equals(body) && !text.includes('\0');
  if (isExact && body.length <= inlineBytesMax) return text;
  throw new CommandError(
    'usage',
    'body_not_inline',
    'This body does not fit on a command line. Save it to a file and pass it as -d @FILE.',
  );
}
