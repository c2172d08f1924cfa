import { valuesOf } from './framing.ts';

/**
 * Returns the client that a request names, even if its `Signature-Input` is invalid, so that owners can find
 * mistakes in requests whose signature was never checked. Anyone can name any client. Undefined if it cannot
 * be determined.
 */
export function namedClientId(rawHeaders: readonly string[]): string | undefined {
  const [signatureInput = ''] = valuesOf(rawHeaders, 'signature-input');
  return /;keyid="([!#-[\]-~]{1,256})"/.exec(signatureInput)?.[1];
}
