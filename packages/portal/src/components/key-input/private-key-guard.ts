import { holdsPrivateKey, keyTextLengthMax } from '@countersign/signature';

/** Recognizes a private key at once, before anything else sees the text. */
export function isPrivateKey(text: string): boolean {
  return holdsPrivateKey(text.slice(0, keyTextLengthMax));
}
