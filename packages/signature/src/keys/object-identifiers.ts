/** The object identifiers in encrypted keys, in dotted decimal. */
export const objectIdentifiers = {
  /** RFC 8018 appendix C. */
  pbes2: '1.2.840.113549.1.5.13',
  /** RFC 8018 appendix C. */
  pbkdf2: '1.2.840.113549.1.5.12',
  /** RFC 7914 section 7. */
  scrypt: '1.3.6.1.4.1.11591.4.11',
} as const;

/** PBKDF2's pseudorandom functions (RFC 8018 appendix B.1.2), each with WebCrypto's name for its hash. */
export const pbkdf2HashOf: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.7', 'SHA-1'],
  ['1.2.840.113549.2.9', 'SHA-256'],
  ['1.2.840.113549.2.10', 'SHA-384'],
  ['1.2.840.113549.2.11', 'SHA-512'],
]);

/** The AES-CBC ciphers (RFC 8018 appendix B.2.5, RFC 3565 section 4.1), each with its key size in bits. */
export const aesCbcKeyBitsOf: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.1.2', 128],
  ['2.16.840.1.101.3.4.1.22', 192],
  ['2.16.840.1.101.3.4.1.42', 256],
]);
