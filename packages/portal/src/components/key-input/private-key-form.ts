import { readPlainPrivateKey } from '@countersign/signature';

/** In which form a private key came: all that is kept of it, so that people know which file it was. */
export type PrivateKeyForm =
  | 'encrypted'
  | 'pkcs8'
  | 'pkcs1'
  | 'openssh'
  | 'putty'
  | 'ec'
  | 'dsa'
  | 'jwk'
  | 'xml'
  | 'pgp'
  | 'key-store'
  | 'unknown';

/** Tells the form of a text that holds a private key, and the size where it is a readable RSA key. */
export function recognisePrivateKey(text: string): {
  readonly form: PrivateKeyForm;
  readonly modulusBits: number | undefined;
} {
  const reading = readPlainPrivateKey(text);
  const found = forms.find(({ sign }) => sign.test(text))?.form;
  if (reading.ok) return { form: found ?? 'pkcs8', modulusBits: reading.modulusBits };
  if (reading.code === 'private_key_encrypted') return { form: 'encrypted', modulusBits: undefined };
  if (reading.code === 'format_not_supported' && found === undefined)
    return { form: 'key-store', modulusBits: undefined };
  return { form: found ?? 'unknown', modulusBits: undefined };
}

/** The first that fits decides. */
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
