import { encodeBase64 } from '@countersign/signature';
import { keyTextLengthMax } from './read-key-text.ts';

/** The text of a file, or why there is none. */
export type KeyFileText =
  | { readonly text: string }
  | { readonly problem: 'file_too_large' | 'file_unreadable' };

/** A file that was chosen or dropped, as the text of a key: as it is when it is text, in Base64 when it is DER. */
export async function keyFileText(file: File): Promise<KeyFileText> {
  if (file.size > keyTextLengthMax) return { problem: 'file_too_large' };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    // A DER SEQUENCE: the zero byte in an ASCII digit's place tells it from a text that begins with "0".
    const isBinary = bytes[0] === 0x30 && bytes.some((byte) => byte === 0 || byte > 0x7e);
    return { text: isBinary ? encodeBase64(bytes) : new TextDecoder().decode(bytes) };
  } catch {
    return { problem: 'file_unreadable' };
  }
}
