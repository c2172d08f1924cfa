import type { BaseDraft, BaseStructure, LineName, WrittenLines } from './base-draft.ts';

/** Removes the lines that contain a field of the draft, so that the next base rebuilds them. */
export function forgetLines(written: WrittenLines, field: keyof BaseDraft, { lines }: BaseStructure): void {
  const name = lineOfField[field];
  if (name === 'none') return;
  if (name === undefined) written.length = 0;
  // A line may occur twice.
  else
    for (let index = 0; index < lines.length; index++)
      if (name === 'url' ? !ownLines.has(lines[index]!) : lines[index] === name) written[index] = undefined;
}

/** The line that contains a field, if it is one: `url` stands for all lines that show the method or the URL. */
const lineOfField: Readonly<Partial<Record<keyof BaseDraft, LineName>>> = {
  otherText: 'none',
  lineEnd: 'none',
  ending: 'none',
  beginning: 'none',
  rewrite: 'none',
  charset: 'none',
  finish: 'none',
  method: 'url',
  scheme: 'url',
  authority: 'url',
  origin: 'url',
  path: 'url',
  pathSlashes: 'url',
  pathEncoding: 'url',
  query: 'url',
  queryOrder: 'url',
  queryEncoding: 'url',
  fragment: 'url',
  targetUri: 'url',
  methodPrint: '@method',
  targetPrint: '@target-uri',
  contentDigest: 'content-digest',
  digestPrint: 'content-digest',
  oldDigest: 'digest',
  date: 'date',
  datePrint: 'date',
  signatureParams: '@signature-params',
  created: '@signature-params',
  otherParameter: '@signature-params',
  paramsPrint: '@signature-params',
  paramsPrefix: '@signature-params',
};

/** Lines that show nothing of the method and the URL. */
const ownLines: ReadonlySet<LineName> = new Set(['content-digest', 'digest', 'date', '@signature-params']);
