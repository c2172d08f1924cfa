import { valuesOf } from './framing.ts';

/**
 * The client that a request names, by a `Signature-Input` that need not be sound: its owner finds what its programs do wrong
 * before their signature is even looked at. Anybody can name anybody. Undefined when it cannot be told.
 */
export function namedClientId(rawHeaders: readonly string[]): string | undefined {
  const [signatureInput = ''] = valuesOf(rawHeaders, 'signature-input');
  return /;keyid="([!#-[\]-~]{1,256})"/.exec(signatureInput)?.[1];
}
