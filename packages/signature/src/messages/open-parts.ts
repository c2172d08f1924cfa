import { isBodyDigest } from '../rfc9421/component-identifier.ts';
import type { CoveredComponent } from '../rfc9421/message-base.ts';

/**
 * Returns the components that a signature lacks to bind a whole request: method, URL and body. An API may require them whatever
 * the profile allows.
 */
export function openParts(
  covered: readonly CoveredComponent[],
  { targetUri, hasBody }: { readonly targetUri: string; readonly hasBody: boolean },
): readonly string[] {
  const texts = new Set(covered.map(({ identifier }) => identifier.text));
  const ofUrl = ['"@authority"', '"@path"', ...(targetUri.includes('?') ? ['"@query"'] : [])];
  const parts = ['"@method"', ...(texts.has('"@target-uri"') ? [] : ofUrl)];
  const isBodyOpen = hasBody && !covered.some(({ identifier }) => isBodyDigest(identifier));
  return [...parts.filter((part) => !texts.has(part)), ...(isBodyOpen ? ['"content-digest"'] : [])];
}
