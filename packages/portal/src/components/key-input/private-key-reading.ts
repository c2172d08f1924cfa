import { keyTextLengthMax, readPlainPrivateKey } from '@countersign/signature';
import type { PrivateKeyForm } from '#messages/key-input.ts';
import { isPrivateKey } from './private-key-guard.ts';

/** A private key that was recognized. Keeps nothing of the text, only its kind. */
export interface PrivateKeyReading {
  readonly kind: 'private-key';
  readonly form: PrivateKeyForm;
  readonly bits: number | undefined;
}

/**
 * Recognizes a private key at once, before anything else sees the text. Returns its kind and nothing of its
 * content.
 */
export function privateKeyReading(text: string): PrivateKeyReading | undefined {
  return isPrivateKey(text) ? recognizePrivateKey(text.slice(0, keyTextLengthMax)) : undefined;
}

/** Returns the kind of a private key, and its size if it is readable. */
export function recognizePrivateKey(text: string): PrivateKeyReading {
  const kind = 'private-key';
  const reading = readPlainPrivateKey(text);
  const found = forms.find(({ sign }) => sign.test(text))?.form;
  if (reading.ok) return { kind, form: found ?? 'pkcs8', bits: reading.bits };
  if (reading.code === 'private_key_encrypted') return { kind, form: 'encrypted', bits: undefined };
  if (reading.code === 'format_not_supported' && found === undefined)
    return { kind, form: 'key-store', bits: undefined };
  return { kind, form: found ?? 'unknown', bits: undefined };
}

/** The first match wins. */
const forms: readonly { readonly form: PrivateKeyForm; readonly sign: RegExp }[] = [
  { form: 'encrypted', sign: /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: *4,ENCRYPTED/ },
  { form: 'openssh', sign: /OPENSSH PRIVATE KEY|b3BlbnNzaC1rZXktdjE/ },
  { form: 'putty', sign: /PuTTY-User-Key-File/i },
  { form: 'pgp', sign: /PGP PRIVATE KEY/ },
  { form: 'ec', sign: /EC PRIVATE KEY/ },
  { form: 'dsa', sign: /DSA PRIVATE KEY/ },
  { form: 'pkcs1', sign: /RSA PRIVATE KEY/ },
  { form: 'pkcs8', sign: /BEGIN PRIVATE KEY/ },
  { form: 'xml', sign: /<\s*RSAKeyValue|<\s*RSAParameters|<\s*Modulus/i },
  { form: 'jwk', sign: /"kty"/ },
];
