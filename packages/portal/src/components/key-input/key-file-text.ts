import { encodeBase64, keyTextLengthMax } from '@countersign/signature';

export type KeyFileText =
  | { readonly text: string }
  | { readonly problem: 'file_too_large' | 'file_unreadable' };

/** Reads a key file: text as is, DER in Base64. */
export async function keyFileText(file: File): Promise<KeyFileText> {
  if (file.size > keyTextLengthMax) return { problem: 'file_too_large' };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    // A DER SEQUENCE. A zero byte or a high byte distinguishes it from text that starts with "0".
    const isBinary = bytes[0] === 0x30 && bytes.some((byte) => byte === 0 || byte > 0x7e);
    return { text: isBinary ? encodeBase64(bytes) : new TextDecoder().decode(bytes) };
  } catch {
    return { problem: 'file_unreadable' };
  }
}
