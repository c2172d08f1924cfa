/** WebCrypto exists only on HTTPS pages and localhost. */
export function canGenerateKeys(): boolean {
  return (globalThis.crypto as Crypto | undefined)?.subtle !== undefined;
}
