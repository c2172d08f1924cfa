import {
  parseDictionary,
  parseItem,
  parseList,
  serializeDictionary,
  serializeList,
  serializeMember,
} from './structured-fields.ts';

/** Characters; no longer field is read as a structured one. */
export const structuredFieldLengthMax = 16_384;

/** The type of a structured field (RFC 8941 section 3). */
export type StructuredType = 'dictionary' | 'list' | 'item';

/**
 * The types of registered structured fields, by lower-case name (the IANA registry of HTTP field names). The parameter
 * `sf` needs them: the same text can mean a dictionary and a list.
 */
export const structuredTypes: Readonly<Record<string, StructuredType>> = {
  'accept-ch': 'list',
  'accept-signature': 'dictionary',
  'cache-status': 'list',
  'cdn-cache-control': 'dictionary',
  'client-cert': 'item',
  'client-cert-chain': 'list',
  'content-digest': 'dictionary',
  'cross-origin-embedder-policy': 'item',
  'cross-origin-opener-policy': 'item',
  'idempotency-key': 'item',
  'origin-agent-cluster': 'item',
  priority: 'dictionary',
  'proxy-status': 'list',
  'repr-digest': 'dictionary',
  signature: 'dictionary',
  'signature-input': 'dictionary',
  'want-content-digest': 'dictionary',
  'want-repr-digest': 'dictionary',
};

/** Writes a structured field strictly (RFC 8941 section 4.1); undefined if it is not one of that type. */
export function strictText(text: string, type: StructuredType): string | undefined {
  if (type === 'dictionary') {
    const members = parseDictionary(text);
    return members && serializeDictionary(members);
  }
  if (type === 'list') {
    const members = parseList(text);
    return members && serializeList(members);
  }
  const item = parseItem(text);
  return item && serializeMember(item);
}
