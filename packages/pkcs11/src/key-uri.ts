import { optionsInvalid } from '@countersign/key-store/building';

/** A private key named by a PKCS#11 URI (RFC 7512). */
export interface KeyUri {
  /** The token's label; undefined for the open token. */
  readonly token: string | undefined;
  /** CKA_LABEL. */
  readonly object: string | undefined;
  /** CKA_ID, in hexadecimal digits. */
  readonly id: string | undefined;
}

/** Returns the key that a URI names. Throws a KeyStoreError if the URI cannot name a private key. */
export function readKeyUri(text: string): KeyUri {
  const attributes = new Map<string, Buffer>();
  const [, path] = /^pkcs11:([^?]*)$/.exec(text) ?? [];
  if (path === undefined)
    throw wrong('It has the form "pkcs11:token=shop;id=%01", without a query or a PIN.');
  for (const part of path.split(';').filter((each) => each !== '')) {
    const [, name = '', value = ''] = /^([a-z-]+)=([^=]*)$/.exec(part) ?? [];
    if (!known.includes(name)) throw wrong(`Of its attributes, these can be used: ${known.join(', ')}.`);
    if (attributes.has(name)) throw wrong(`It has the attribute "${name}" twice.`);
    attributes.set(name, unescape(value));
  }
  if ((attributes.get('type')?.toString() ?? 'private') !== 'private')
    throw wrong('Its type must be private.');
  const [token, object, id] = ['token', 'object', 'id'].map((name) => attributes.get(name));
  if (object === undefined && id === undefined)
    throw wrong('It must name a key by its "object" (label) or its "id".');
  return { token: token?.toString(), object: object?.toString(), id: id?.toString('hex') };
}

/** Writes a URI. */
export function formatKeyUri({ token, object, id }: KeyUri): string {
  const parts = [
    ...(token !== undefined ? [`token=${encodeURIComponent(token)}`] : []),
    ...(object !== undefined ? [`object=${encodeURIComponent(object)}`] : []),
    ...(id !== undefined ? [`id=${id.replaceAll(/../g, (byte) => `%${byte.toUpperCase()}`)}`] : []),
  ];
  return `pkcs11:${parts.join(';')};type=private`;
}

const known: readonly string[] = ['token', 'object', 'id', 'type'];

function unescape(value: string): Buffer {
  if (!/^(?:[A-Za-z0-9\-._~:[\]@!$'()*+,&/]|%[0-9A-Fa-f]{2})+$/.test(value))
    throw wrong('Its values are percent-encoded and not empty.');
  const latin = value.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin, 'latin1');
}

function wrong(how: string): Error {
  return optionsInvalid(`A key in a PKCS#11 token is named by a PKCS#11 URI (RFC 7512). ${how}`);
}
