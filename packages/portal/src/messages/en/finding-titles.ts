import { findings } from '@countersign/explain/findings';

/** The titles of mistakes by code. The build keeps only them of the table, which is four times as long. */
export const findingTitles: ReadonlyMap<string, string> = new Map(
  Object.entries(findings).map(([code, { title }]) => [code, title]),
);
