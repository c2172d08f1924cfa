import { latin1Bytes, utf8Text } from '../byte-text.ts';
import { type BaseDraft, pathText, queryText, usualForm, usualUrl } from '../drafts/base-draft.ts';
import type { Note } from '../findings/finding.ts';
import { decodedForm, percentDecoded, prefixOf, splitUrl, type UrlParts } from '../reading/url-parts.ts';
import { Budget } from '../search/budget.ts';
import { notesOf, visitVariations } from '../search/enumeration.ts';
import type { UrlContext } from '../variations/host-variations.ts';
import { urlDimensions } from '../variations/url-variations.ts';
import type { ChangeCode } from './change-kinds.ts';
import {
  type ChangedPart,
  type HopChange,
  type NamedChange,
  namedByNotes,
  namedChange,
  textDifference,
} from './hop-change.ts';
import type { ReadView } from './request-view.ts';

type Kinds = HopChange['kinds'];

/** Compares method and URL of two views. */
export function targetChanges(
  before: ReadView,
  after: ReadView,
  baseUrls: readonly string[],
): readonly HopChange[] {
  const [from, to] = [splitUrl(before.targetUris[0]), splitUrl(after.targetUris[0])];
  const changes: HopChange[] = [];
  const methods = [before.view.method, after.view.method] as const;
  const method = textDifference(...methods);
  if (method) {
    const isCase = methods[0].toUpperCase() === methods[1].toUpperCase();
    const kind = namedChange(isCase ? 'method_case' : 'method_changed');
    changes.push({ part: 'method', kinds: [kind], difference: method, isSigned: true });
  }
  for (const { part, of } of parts) {
    // If both are the same in the URL that the service builds, the difference is not signed.
    const isSigned = of(from) !== of(to);
    const isKnown = part !== 'scheme' || (of(before.url) !== '' && of(after.url) !== '');
    // A view without a scheme, or with a host in upper case, gets the service's.
    const isWritten = isKnown && of(before.url) !== of(after.url);
    const [was, is] = isWritten ? [before.url, after.url] : [from, to];
    const difference = isWritten || isSigned ? textDifference(of(was), of(is)) : undefined;
    if (difference) changes.push({ part, kinds: namesOfUrl(part, was, is, baseUrls), difference, isSigned });
  }
  return changes;
}

type UrlPart = Extract<ChangedPart, 'scheme' | 'host' | 'path' | 'query' | 'fragment'>;
type SearchedPart = 'host' | 'path' | 'query';

const parts: readonly { readonly part: UrlPart; readonly of: (url: UrlParts) => string }[] = [
  { part: 'scheme', of: ({ scheme }) => scheme },
  { part: 'host', of: ({ authority }) => authority },
  { part: 'path', of: ({ path }) => path },
  { part: 'query', of: ({ query }) => query },
  { part: 'fragment', of: ({ fragment }) => fragment },
];

/** The fields of a draft that write a part of the URL, and that part. */
const searched: Readonly<
  Record<
    SearchedPart,
    { readonly fields: readonly (keyof BaseDraft)[]; readonly write: (draft: BaseDraft) => string }
  >
> = {
  host: { fields: ['authority'], write: ({ authority }) => authority },
  path: { fields: ['pathSlashes', 'path', 'pathEncoding'], write: pathText },
  query: { fields: ['query', 'queryOrder', 'queryEncoding'], write: queryText },
};

/** Names the change to a part of the URL: directly if possible, or by the explainer's variations. */
function namesOfUrl(
  part: UrlPart,
  beforeBytes: UrlParts,
  afterBytes: UrlParts,
  baseUrls: readonly string[],
): Kinds {
  if (part === 'scheme') return [namedChange('scheme_changed')];
  if (part === 'fragment') return [namedChange('fragment_removed')];
  const [before, after] = [asText(beforeBytes), asText(afterBytes)];
  const plain = plainNames[part](before, after);
  if (plain) return plain;
  const around: UrlContext = {
    baseUrls,
    internalHosts: [],
    host: after.authority,
    forwardedHosts: [],
    userInfo: undefined,
    form: undefined,
  };
  const { write } = searched[part];
  const others = { host: 'host_changed', path: 'path_changed', query: 'query_changed' } as const;
  // The hop's change to the previous view, or the change that would undo it.
  const done = search(part, before, write(draftOf(after)), around);
  if (done) return namedByNotes(done, others[part], detailOfHop);
  const undone = search(part, after, write(draftOf(before)), around);
  return undone ? namedByNotes(undone, others[part], () => undefined) : [namedChange(others[part])];
}

/** Reads the bytes of a URL as UTF-8 if they are. */
function asText(url: UrlParts): UrlParts {
  const text = (part: string): string => {
    const decoded = /[\x80-\xff]/.test(part) ? utf8Text(latin1Bytes(part)) : part;
    return decoded.includes('\ufffd') ? part : decoded;
  };
  return { ...url, authority: text(url.authority), path: text(url.path), query: text(url.query) };
}

/** Findings whose details describe how the new text differs from the old one. */
function detailOfHop({ code, detail }: Note): string | undefined {
  return code === 'url_query_order' || code === 'url_query_encoding' || code === 'url_path_encoding'
    ? detail
    : undefined;
}

function search(
  part: SearchedPart,
  url: UrlParts,
  wanted: string,
  around: UrlContext,
): readonly Note[] | undefined {
  const { fields, write } = searched[part];
  const draft = draftOf(url);
  if (write(draft).length > searchedLengthMax || wanted.length > searchedLengthMax) return undefined;
  const dimensions = urlDimensions(url, around).filter(({ field }) => fields.includes(field));
  const budget = new Budget({ hypothesesMax, budgetMs: 0, monotonicMs: undefined });
  let found: readonly Note[] | undefined;
  const seen = new Set<string>();
  visitVariations(draft, dimensions, (chosen, cost) => {
    const text = write(draft);
    if (!budget.spend(text.length)) return 'spent';
    if (text === wanted) {
      found = notesOf(chosen);
      return 'found';
    }
    if (cost === undefined) return 'other';
    if (seen.has(text)) return 'repeated';
    seen.add(text);
    return 'other';
  });
  return found;
}

/** Services reject longer targets. */
const searchedLengthMax = 8 * 1024;
const hypothesesMax = 10_000;

function draftOf(url: UrlParts): BaseDraft {
  return {
    method: '',
    ...url,
    targetUri: usualUrl,
    contentDigest: '',
    date: '',
    oldDigest: '',
    signatureParams: '',
    structure: { lines: ['@target-uri'], isCavage: false },
    ...usualForm,
  };
}

type PlainNames = (before: UrlParts, after: UrlParts) => Kinds | undefined;

/** Recognizes changes that need no search, because a comparison in another form is certain. */
const plainNames: Readonly<Record<SearchedPart, PlainNames>> = {
  host: ({ authority: before }, { authority: after }) =>
    before.toLowerCase() === after.toLowerCase()
      ? [namedChange('host_case')]
      : before.replace(/:\d*$/, '') === after.replace(/:\d*$/, '')
        ? [namedChange('port_changed')]
        : undefined,
  path({ path: before }, { path: after }) {
    if (`${before}/` === after || before === `${after}/`) return [namedChange('trailing_slash')];
    const prefix = prefixChange(before, after);
    if (prefix !== undefined) return [namedChange('path_changed', prefix)];
    if (hasOtherHex(before, after)) return [encodingOf('path_encoded', before, after)];
    if (before.toLowerCase() === after.toLowerCase())
      return [
        namedChange(
          'path_case',
          [before.toLowerCase(), lowered(before)].includes(after) ? 'put in lower case' : undefined,
        ),
      ];
    return isSame(percentDecoded, before, after) ? [encodingOf('path_encoded', before, after)] : undefined;
  },
  query({ query: before }, { query: after }) {
    if (before.length <= 1 && after.length <= 1) return [namedChange('question_mark')];
    if (before === '') return [namedChange('query_added')];
    if (after.length <= 1) return [namedChange('query_removed')];
    if (hasOtherHex(before, after)) return [encodingOf('query_encoded', before, after)];
    if (before.toLowerCase() === after.toLowerCase()) return [namedChange('query_case')];
    if (isSame(decodedForm, before, after)) return [encodingOf('query_encoded', before, after)];
    const [first, second] = [before, after].map((query) => query.slice(1).split('&'));
    if (isSameSet(first!, second!)) return undefined;
    const isEncodedToo = isSameSet(first!.map(formOf), second!.map(formOf));
    return isEncodedToo
      ? [namedChange('query_reordered'), encodingOf('query_encoded', before, after)]
      : undefined;
  },
};

/** Names the leading segments that a hop removed or added. Slashes and dots alone are other changes. */
function prefixChange(before: string, after: string): string | undefined {
  const prefix = prefixOf(before, after);
  if (prefix !== undefined) return `${prefix} was removed in front of the path`;
  const added = prefixOf(after, before);
  return added === undefined ? undefined : `${added} was added in front of the path`;
}

/** True if escapes may keep their case. */
function lowered(path: string): string {
  return path.replace(/%[0-9a-f]{2}|[A-Z]/gi, (part) => (part.length === 1 ? part.toLowerCase() : part));
}

function hasOtherHex(before: string, after: string): boolean {
  const lower = (text: string): string => text.replace(/%[0-9a-f]{2}/gi, (hex) => hex.toLowerCase());
  return lower(before) === lower(after);
}

function isSame(decode: (text: string) => string | undefined, before: string, after: string): boolean {
  const decoded = decode(before);
  return decoded !== undefined && decoded === decode(after);
}

function formOf(text: string): string {
  return decodedForm(text) ?? text;
}

function isSameSet(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.toSorted().join('&') === after.toSorted().join('&');
}

/** Names a change of encoding by the first escape that changed: `%7E became ~`. */
function encodingOf(code: ChangeCode, before: string, after: string): NamedChange {
  let place = 0;
  while (place < before.length && before[place] === after[place]) place++;
  // Starts at an escape that only one side, or both sides, have here.
  const start = [1, 2].map((back) => place - back).find((at) => at >= 0 && before[at] === '%') ?? place;
  const [was, is] = [before, after].map(
    (text) => /^(?:(?:%[0-9A-Fa-f]{2})+|[^%])/u.exec(text.slice(start, start + escapesLengthMax))?.[0],
  );
  return was === undefined || is === undefined
    ? namedChange(code)
    : namedChange(code, `${shown(was)} became ${shown(is)}`);
}

const escapesLengthMax = 36;

function shown(text: string): string {
  return text === ' ' ? 'a space' : text;
}
