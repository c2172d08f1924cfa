import { type BaseDraft, type OtherValues, pathText, writeBase, writeLine } from '../drafts/base-draft.ts';
import { type Certainty, type Evidence, evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding, mergeNotes, type Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { prefixOf } from '../reading/url-parts.ts';
import { arrivedValue, bothLines } from './both-lines.ts';
import { bothSides, type Sides } from './both-sides.ts';
import { hashedBodyFinding, isOfBody } from './hashed-body.ts';
import { joinCauses } from './one-cause.ts';
import type { BaseMatch } from '../search/base-search.ts';

/**
 * Turns the variations that led to the signed text into findings, each with the line it concerns.
 * `proxies` are the headers of a proxy that may have changed the URL.
 */
export function matchFindings(
  match: BaseMatch,
  declared: BaseDraft,
  others: OtherValues,
  certainty: Certainty,
  proxies: readonly string[],
): readonly Finding[] {
  const shown = withoutUser(match, others);
  const ofBody = match.notes.filter(isOfBody);
  // Without a key to prove it, the caller only claims to have signed this.
  const sides: Sides = {
    subject: certainty === 'proven' ? 'You signed' : 'You built',
    signed: shown.draft,
    arrived: declared,
    others,
  };
  const ofBase = match.notes.filter((note) => !isOfBody(note)).map((note) => withSentence(note, sides));
  return [
    ...(ofBody.length === 0 ? [] : [hashedBodyFinding(ofBody, certainty)]),
    ...joinCauses(mergeNotes(ofBase)).map((note) => {
      const { code, ...words } = note;
      const evidence = evidenceFor(code, shown, declared, others);
      const { what = bothSides(note, sides) ?? bothLines(note, sides) } = note;
      const mend =
        words.mend ?? (pathCodes.test(code) ? adviceBehind(proxies, shown.draft, declared) : undefined);
      return finding(code, certainty, { ...words, what, mend, evidence });
    }),
  ];
}

/** Turns a note's phrase about the signed text into a sentence. */
function withSentence({ signed, clause, ...note }: Note, sides: Sides): Note {
  const start = signed === undefined ? clause : `${sides.subject} ${signed}`;
  if (start === undefined) return note;
  const arrival = note.code.startsWith('base_value_') ? arrivedValue(sides) : undefined;
  return { ...note, what: arrival === undefined ? `${start}.` : `${start}, but ${arrival} arrived.` };
}

const pathCodes = /^url_(?:path_prefix|path_encoding|double_slash|dot_segments|trailing_slash)$/;

/** Advice for a path that a proxy may have changed. */
function adviceBehind(proxies: readonly string[], signed: BaseDraft, arrived: BaseDraft): string | undefined {
  if (proxies.length === 0) return undefined;
  const prefix = prefixOf(pathText(signed), pathText(arrived));
  const doing =
    prefix === undefined
      ? 'changes the path, turn it off'
      : `removes ${prefix} in front of the path, as handle_path of Caddy, StripPrefix of Traefik and a path in proxy_pass of nginx do, turn that off`;
  return `The request came through a proxy (${proxies.join(', ')}). If that ${doing}, or sign the path that arrives; if not, sign the path exactly as you send it.`;
}

/** The line that a finding concerns, by the prefix of its code. Other findings concern the whole text. */
const lineOfCode: readonly (readonly [start: string, line: string])[] = [
  ['url_', '@target-uri'],
  ['method_', '@method'],
  ['digest_', 'content-digest'],
  ['date_', 'date'],
  ['base_other_date', 'date'],
  ['base_params_', '@signature-params'],
  ['base_other_created', '@signature-params'],
  ['base_created_', '@signature-params'],
];

function evidenceFor(
  code: FindingCode,
  match: BaseMatch,
  declared: BaseDraft,
  others: OtherValues,
): Evidence | undefined {
  const line = lineOfCode.find(([start]) => code.startsWith(start))?.[1];
  const index = line === undefined ? -1 : match.draft.structure.lines.indexOf(line);
  if (line === undefined || index < 0 || !declared.structure.lines.includes(line))
    return differing(writeBase(declared, others), match.text);
  const { isCavage } = match.draft.structure;
  return differing(
    writeLine(declared, others, line, index, declared.structure.isCavage),
    writeLine(match.draft, others, line, index, isCavage),
  );
}

/** A change to the hash does not show in the text. */
function differing(expected: string, received: string): Evidence | undefined {
  return expected === received ? undefined : evidenceOf(expected, received);
}

/** Returns the same match with a URL without user and password. */
function withoutUser(match: BaseMatch, others: OtherValues): BaseMatch {
  const { authority } = match.draft;
  const host = authority.lastIndexOf('@');
  if (host < 0) return match;
  const draft = { ...match.draft, authority: `…${authority.slice(host)}` };
  return { ...match, draft, text: writeBase(draft, others) };
}
