import * as en from './en/index.ts';

/** The texts of all areas. Another language is another folder with the same areas and functions. */
export type Messages = typeof en;

/** A part of the portal whose texts belong together. */
export type MessageArea = keyof Messages;

/**
 * The texts of one area, in the person's language.
 *
 * @example
 * const t = useMessages('apiKeys');
 * return <h1>{t.title}</h1>;
 */
export function useMessages<Area extends MessageArea>(area: Area): Messages[Area] {
  return en[area];
}

/** The texts of one area, for code that is no component. */
export function messagesOf<Area extends MessageArea>(area: Area): Messages[Area] {
  return en[area];
}
