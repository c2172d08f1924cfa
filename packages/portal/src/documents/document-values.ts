import type { Language } from '../code/tokens.ts';

/** The values that documents show instead of examples. */
export interface DocumentValues {
  readonly baseUrl: string;
  /** Undefined until the person chooses a client. */
  readonly clientId: string | undefined;
}

const places = ['clientId', 'clientIdInString'];

/**
 * Returns the text for a place in a document, or undefined if the example stays.
 *
 * A client ID may contain text that a shell would run or that ends a string, so an unusual one is quoted in
 * commands and omitted from strings and programs.
 */
export function valueFor(place: string, language: Language, values: DocumentValues): string | undefined {
  if (place === 'baseUrl') return values.baseUrl.replace(/\/+$/, '');
  if (!places.includes(place) || values.clientId === undefined) return undefined;
  const { clientId } = values;
  if (isPlainClientId(clientId)) return clientId;
  return language !== 'sh' || place === 'clientIdInString'
    ? undefined
    : `'${clientId.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns true if a client ID needs no escaping in any language. */
export function isPlainClientId(clientId: string): boolean {
  return /^[\w.:@-]+$/.test(clientId);
}
