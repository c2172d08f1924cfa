import { parseDictionary } from './structured-fields.ts';
import { structuredFieldLengthMax } from './structured-types.ts';

/**
 * Reads a `Content-Digest` field (RFC 9530 section 2): its digests by algorithm, those of unknown algorithms too.
 *
 * @returns undefined for a text that is no dictionary of byte sequences, or that names an algorithm twice
 */
export function readDigests(text: string): ReadonlyMap<string, Uint8Array> | undefined {
  if (text.length > structuredFieldLengthMax) return undefined;
  const members = parseDictionary(text, 'refuse repeated keys');
  if (members === undefined) return undefined;
  const digests = new Map<string, Uint8Array>();
  for (const [algorithm, member] of members) {
    if (member.type !== 'item' || member.value.type !== 'bytes') return undefined;
    digests.set(algorithm, member.value.value);
  }
  return digests;
}
