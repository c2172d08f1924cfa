import type { Language } from '../code/tokens.ts';

/** The values that documents show in the place of examples. */
export interface DocumentValues {
  readonly baseUrl: string;
  /** Undefined until the person chooses a client. */
  readonly clientId: string | undefined;
}

/**
 * Returns the text for a place in a document, or undefined if the example stays.
 *
 * A client ID may contain what a shell would run, so in commands such an ID is quoted.
 */
export function valueFor(place: string, language: Language, values: DocumentValues): string | undefined {
  if (place === 'baseUrl') return values.baseUrl.replace(/\/+$/, '');
  if (place !== 'clientId' || values.clientId === undefined) return undefined;
  const { clientId } = values;
  if (language !== 'sh' || /^[\w.:@-]+$/.test(clientId)) return clientId;
  return `'${clientId.replaceAll("'", String.raw`'\''`)}'`;
}
