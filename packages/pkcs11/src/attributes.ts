import { type Cryptoki, memoryOf, words } from './cryptoki.ts';

/** Attributes of objects (PKCS #11 version 3.1, section 4). */
export const attribute = {
  CKA_CLASS: 0x000n,
  CKA_TOKEN: 0x001n,
  CKA_PRIVATE: 0x002n,
  CKA_LABEL: 0x003n,
  CKA_KEY_TYPE: 0x100n,
  CKA_ID: 0x102n,
  CKA_SENSITIVE: 0x103n,
  CKA_DECRYPT: 0x105n,
  CKA_UNWRAP: 0x107n,
  CKA_SIGN: 0x108n,
  CKA_VERIFY: 0x10an,
  CKA_MODULUS: 0x120n,
  CKA_MODULUS_BITS: 0x121n,
  CKA_PUBLIC_EXPONENT: 0x122n,
  CKA_EXTRACTABLE: 0x162n,
} as const;

export const CKO_PUBLIC_KEY = 2n;
export const CKO_PRIVATE_KEY = 3n;
export const CKK_RSA = 0n;

/** A CK_BBOOL, a CK_ULONG, or bytes. */
export type AttributeValue = boolean | bigint | Uint8Array;
export type Attributes = Partial<Record<keyof typeof attribute, AttributeValue>>;

/** An array of CK_ATTRIBUTE. */
export interface Template {
  readonly structure: BigUint64Array;
  readonly count: bigint;
  /** The memory that it points to, which must stay alive as long. */
  readonly values: readonly Uint8Array[];
}

/** Lays out a template in memory: type, address and length of each value. */
export function templateOf(cryptoki: Cryptoki, attributes: Attributes): Template {
  const entries = Object.entries(attributes) as [keyof typeof attribute, AttributeValue][];
  const lengths = entries.map(([, value]) => bytesOf(value).length);
  const values = entries.map(([, value]) => memoryOf(bytesOf(value)));
  const members = entries.flatMap(([name], index) => [
    attribute[name],
    cryptoki.addressOf(values[index]!),
    BigInt(lengths[index]!),
  ]);
  return { structure: words(...members), count: BigInt(entries.length), values };
}

function bytesOf(value: AttributeValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'boolean') return Uint8Array.of(value ? 1 : 0);
  return new Uint8Array(words(value).buffer);
}

/** No attribute of a usable key is longer. */
const valueBytesMax = 4096;
const CKR_ATTRIBUTE_SENSITIVE = 0x11n;
const CKR_ATTRIBUTE_TYPE_INVALID = 0x12n;

/** Reads an attribute of an object. Returns undefined if the object does not have it. */
export function readAttribute(
  cryptoki: Cryptoki,
  session: bigint,
  object: bigint,
  name: keyof typeof attribute,
): Uint8Array | undefined {
  const { structure, values } = templateOf(cryptoki, { [name]: memoryOf(valueBytesMax) });
  const absent = [CKR_ATTRIBUTE_SENSITIVE, CKR_ATTRIBUTE_TYPE_INVALID];
  cryptoki.call('C_GetAttributeValue', [session, object, structure, 1n], absent);
  const length = structure[2]!;
  // CK_UNAVAILABLE_INFORMATION, as for an attribute that the object lacks.
  if (length > BigInt(valueBytesMax)) return undefined;
  return values[0]!.slice(0, Number(length));
}
