import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';

/** A body with its type. */
export interface EncodedBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface FormPart {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The path of an uploaded file; its last segment is sent. */
  readonly file?: string;
}

/** Builds a form with files (RFC 7578). */
export function multipartBody(parts: readonly FormPart[]): EncodedBody {
  // No body contains these random bytes by accident.
  const boundary = `countersign-${randomBytes(18).toString('hex')}`;
  const bytes = Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(head(part, boundary)), part.bytes, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { bytes, contentType: `multipart/form-data; boundary=${boundary}` };
}

function head({ name, file }: FormPart, boundary: string): string {
  const fileName =
    file === undefined ? '' : `; filename="${quoted(file === '-' ? 'stdin' : basename(file))}"`;
  const type = file === undefined ? '' : `Content-Type: ${typeOf(file)}\r\n`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${fileName}\r\n${type}\r\n`;
}

/** As browsers do it: HTML, "multipart/form-data encoding algorithm". */
function quoted(text: string): string {
  return text.replace(
    /[\r\n"]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

const types: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['html', 'text/html'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['json', 'application/json'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['txt', 'text/plain'],
  ['xml', 'application/xml'],
  ['zip', 'application/zip'],
]);

function typeOf(file: string): string {
  return types.get(/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '') ?? 'application/octet-stream';
}
