import {
  authorityText,
  type BaseDraft,
  originText,
  type OtherValues,
  pathText,
  queryText,
  writeLine,
} from '../drafts/base-draft.ts';
import type { Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { prefixOf } from '../reading/url-parts.ts';
import { differingParts, wholeStart } from './differing-parts.ts';

/** The signed text and the received text, and the beginning of a sentence about the first. */
export interface Sides {
  readonly subject: 'You signed' | 'You built';
  readonly signed: BaseDraft;
  readonly arrived: BaseDraft;
  readonly others: OtherValues;
}

/** A signed part: its name in a sentence, and its text. */
interface Part {
  readonly name: string;
  readonly of: (draft: BaseDraft) => string;
  /** Characters at which a long text may be cut; `wholeStart` if it is shown from its start. */
  readonly ends: string;
  /** A description for texts that mean nothing on their own, such as an empty one. */
  readonly none?: string;
  /** True if the two texts show everything that a detail could add. */
  readonly isPlain?: boolean;
}

const scheme: Part = {
  name: 'the scheme ',
  of: (draft) => draft.scheme.replace('://', ''),
  ends: '',
  isPlain: true,
};
const host: Part = { name: 'the host ', of: authorityText, ends: '', isPlain: true };
const origin: Part = { name: '', of: originText, ends: '', isPlain: true };
const path: Part = { name: 'the path ', of: pathText, ends: '/', none: 'no path' };
const query: Part = { name: 'the query ', of: queryText, ends: '?&', none: 'no query' };
const url: Part = { name: 'the URL ', of: (draft) => draft.targetUri.write(draft), ends: '/?&' };
const method: Part = { name: 'the method ', of: (draft) => draft.method, ends: '', isPlain: true };
const date: Part = { name: 'the Date ', of: (draft) => draft.date, ends: '' };
const digest: Part = { name: 'the Content-Digest ', of: (draft) => draft.contentDigest, ends: '' };

const partOfCode: Readonly<Partial<Record<FindingCode, Part>>> = {
  url_scheme: scheme,
  url_host_port: host,
  url_host_case: host,
  url_host_unicode: host,
  url_other_host: host,
  url_internal_host: host,
  url_no_query: { ...query, isPlain: true },
  url_query_order: query,
  url_query_encoding: query,
  url_query_part: query,
  url_trailing_question_mark: { ...query, isPlain: true },
  url_trailing_slash: { ...path, isPlain: true },
  url_double_slash: path,
  url_dot_segments: path,
  url_path_prefix: path,
  url_path_encoding: path,
  url_path_only: { ...url, ends: wholeStart },
  method_case: method,
  method_other: method,
  method_head_as_get: method,
  date_read_twice: { ...date, isPlain: true },
  date_format: date,
  date_time_zone: date,
  base_other_date: { ...date, isPlain: true },
  base_value_printed: method,
  digest_changed_after_signing: digest,
  digest_hex: digest,
  digest_base64url: digest,
  digest_double_base64: digest,
  digest_old_form: digest,
  digest_no_colons: digest,
  digest_form: digest,
};

/** Describes the signed and the received value. Undefined for notes that do not concern a single value. */
export function bothSides(note: Pick<Note, 'code' | 'detail' | 'isShown'>, sides: Sides): string | undefined {
  const { code, detail, isShown } = note;
  const { subject, signed, arrived } = sides;
  if (ofParams.test(code)) return sidesOfParams(note, sides);
  if (code === 'url_fragment' && arrived.fragment === '')
    return `${subject} the URL with ${signed.fragment}, but it arrived without: a fragment is never sent.`;
  const part = partFor(code, signed, arrived);
  if (part === undefined) return undefined;
  const [was, is] = [part.of(signed), part.of(arrived)];
  const prefix = part.name === path.name ? prefixWords(was, is) : undefined;
  if (prefix !== undefined) return `${subject} the path ${was}, but ${is} arrived, ${prefix}.`;
  const [shownSigned, shownArrived] = differingParts(was, is, part.ends);
  const told = part.isPlain === true || isShown === true || detail === undefined ? '' : detail;
  const isLong = told.length > addedLengthMax;
  const added = told === '' || isLong ? '' : ` (${told})`;
  const sentence = isLong ? ` ${told[0]!.toUpperCase()}${told.slice(1)}.` : '';
  const { none = 'nothing' } = part;
  return is === ''
    ? `${subject} ${part.name}${shownSigned}${added}, but ${none} arrived.${sentence}`
    : was === ''
      ? `${subject} ${none}, but ${part.name}${shownArrived} arrived.${sentence}`
      : `${subject} ${part.name}${shownSigned}${added}, but ${shownArrived} arrived.${sentence}`;
}

const addedLengthMax = 60;

/**
 * Returns the part that a note is about: the whole URL if its parts are the same, because then the URL was
 * written differently.
 */
function partFor(code: FindingCode, signed: BaseDraft, arrived: BaseDraft): Part | undefined {
  const part = code === 'base_value_case' ? valueInOtherCase(signed, arrived) : partOfCode[code];
  if (part === undefined) return undefined;
  const known = part === host && signed.origin !== undefined ? origin : part;
  const possible = code.startsWith('url_') ? [known, url] : [known];
  return possible.find(({ of }) => of(signed) !== of(arrived));
}

function valueInOtherCase(signed: BaseDraft, arrived: BaseDraft): Part | undefined {
  return [path, url, date, digest].find(({ of }) => of(signed) !== of(arrived));
}

/** Names the leading segments that only one of two paths has. */
function prefixWords(signed: string, arrived: string): string | undefined {
  const lost = prefixOf(signed, arrived);
  if (lost !== undefined) return `without ${lost} in front`;
  const added = prefixOf(arrived, signed);
  return added === undefined ? undefined : `with ${added} in front`;
}

const ofParams = /^base_(?:params_rebuilt$|other_created$|created_)/;

function sidesOfParams(
  { code, detail, isShown }: Pick<Note, 'code' | 'detail' | 'isShown'>,
  { subject, signed, arrived, others }: Sides,
): string | undefined {
  const [was, is] = [signed, arrived].map((draft) =>
    writeLine(draft, others, '@signature-params', 0, false).replace(/^\S+ /, ''),
  ) as [string, string];
  if (was === is) return undefined;
  const [shownSigned, shownArrived] = differingParts(was, is, ';( ');
  const added =
    isShown === true || detail === undefined || code !== 'base_params_rebuilt' ? '' : ` (${detail})`;
  return `${subject} ${shownSigned}${added}, but ${shownArrived} arrived in Signature-Input.`;
}
