import { findingTexts } from './finding-texts.ts';

/** The titles of mistakes by code. The build keeps only them of the table, which is four times as long. */
export const findingTitles: ReadonlyMap<string, string> = new Map(
  Object.entries(findingTexts).map(([code, [title]]) => [code, title]),
);
