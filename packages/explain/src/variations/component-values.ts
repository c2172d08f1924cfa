import { type Alternative, alternative, type Dimension } from '../drafts/alternatives.ts';
import {
  authorityText,
  type BaseDraft,
  type LineName,
  type OtherValues,
  pathText,
  queryText,
  quotedName,
  writeBase,
} from '../drafts/base-draft.ts';
import type { Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { percentDecoded } from '../reading/url-parts.ts';

type OtherValue = NonNullable<BaseDraft['otherValue']>;
type Row = readonly [code: FindingCode, value: string | undefined, cost: number, words?: Words];

/**
 * Lists other values of the components that only other profiles cover: fields, members of dictionaries, query parameters,
 * and parts of the URL as signers misread their definitions.
 */
export function componentValueDimension(
  draft: BaseDraft,
  others: OtherValues,
  raw: ReadonlyMap<string, string>,
): Dimension<BaseDraft> {
  const { lines } = draft.structure;
  return {
    field: 'otherValue',
    isWritten: ({ otherText }) => otherText === undefined,
    alternatives: () => lines.slice(0, linesMax).flatMap((line) => valuesOf(line, draft, others, raw)),
  };
}

/** Further lines are not varied one by one. */
const linesMax = 16;

function valuesOf(
  line: LineName,
  draft: BaseDraft,
  others: OtherValues,
  raw: ReadonlyMap<string, string>,
): readonly Alternative<OtherValue>[] {
  const value = valueOf(line, draft, others);
  const known = new Set([value]);
  return rowsOf(line, value, draft, raw).flatMap(([code, text, cost, words]) => {
    if (text === undefined || text.length > value.length * 2 + addedMax || known.has(text)) return [];
    known.add(text);
    const given = words ?? {
      signed: `${shown(text)} as the value of ${quotedName(line)}, but ${shown(value)} arrived`,
    };
    return [alternative<OtherValue>(code, given, cost, (name) => (name === line ? text : undefined))];
  });
}

const addedMax = 8192;

/** The value as the service builds it. */
function valueOf(line: LineName, draft: BaseDraft, others: OtherValues): string {
  const text = writeBase({ ...draft, structure: { lines: [line], isCavage: false } }, others);
  return text.slice(quotedName(line).length + 2);
}

function rowsOf(
  line: LineName,
  value: string,
  draft: BaseDraft,
  raw: ReadonlyMap<string, string>,
): readonly Row[] {
  switch (line) {
    case '@query':
      return [
        ['base_query_mark', value.slice(1), 0.5],
        ['url_no_query', value === '?' ? undefined : '?', 1.5],
        ['url_no_query', value === '?' ? undefined : '', 2],
      ];
    case '@path':
      return [
        [
          'base_request_target',
          pathText(draft) + queryText(draft),
          1,
          { signed: 'the path with its query as "@path"' },
        ],
        ['base_value_empty', '', 2],
      ];
    case '@authority':
      return [['url_other_host', draft.scheme + authorityText(draft), 1.5]];
    case '@method':
    case '@target-uri':
    case '@signature-params':
    case '@scheme':
    case '@request-target':
    case 'content-digest':
    case 'date':
      return [];
    default:
      return line.startsWith('@query-param') ? ofQueryParameter(value) : ofField(line, value, raw);
  }
}

function ofQueryParameter(value: string): readonly Row[] {
  const plain = percentDecoded(value);
  return [
    ['url_query_encoding', plain, 1],
    ['url_query_encoding', value.replaceAll('%20', '+'), 1],
    ['base_value_empty', '', 2],
  ];
}

function ofField(line: LineName, value: string, raw: ReadonlyMap<string, string>): readonly Row[] {
  const [name = '', ...parameters] = line.split(';');
  const received = raw.get(name);
  const key = /;key="([^"]*)"/.exec(line)?.[1];
  const isQuoted = /^"[^"]*"$/.test(value);
  const rows: Row[] = [];
  if (key !== undefined)
    rows.push(
      ['base_member_value', received?.trim(), 0.5],
      ['base_member_value', `${key}=${value}`, 1],
      ['base_member_value', isQuoted ? value.slice(1, -1) : undefined, 0.5],
    );
  else if (parameters.length > 0) rows.push(['base_component_parameters', received?.trim(), 1]);
  return [
    ...rows,
    ['base_value_trimmed', received, 1],
    ['base_value_trimmed', value.replace(/, /g, ','), 1.5],
    ['base_value_trimmed', value.replace(/,(?! )/g, ', '), 1.5],
    ['base_value_trimmed', value.replace(/\s+/g, ' '), 1.5],
    ['base_value_trimmed', value.replace(/\s+/g, ''), 2],
    ['base_value_trimmed', `${value} `, 2.5],
    ['base_value_trimmed', ` ${value}`, 2.5],
    ['base_value_case', value.toLowerCase(), 1.5],
    ['base_value_case', value.toUpperCase(), 3],
    ['base_value_empty', '', 1.5],
    ['base_value_printed', isQuoted ? value.slice(1, -1) : undefined, 1],
    ['base_value_printed', isQuoted ? undefined : `"${value}"`, 2],
    ['base_value_printed', value.replace(/;.*$/s, ''), 1.5],
    ['base_value_printed', value.replace(/, .*$/s, ''), 2],
    ['base_value_empty', 'undefined', 2.5],
    ['base_value_empty', 'null', 2.5],
    ['base_value_empty', 'None', 2.5],
  ];
}

function shown(text: string): string {
  if (text === '') return 'nothing';
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

const shownMax = 120;
