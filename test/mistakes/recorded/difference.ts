import { readAccount } from '../corpus.ts';
import { bytesOf, type Exchange } from './recording.ts';

/** A part of a request that arrived in a form other than the signed one, and the findings any of which names that. */
export interface Difference {
  readonly part: 'method' | 'host' | 'path' | 'query' | 'fragment' | 'body' | 'header';
  /** The kind of change, for tables. */
  readonly kind: string;
  readonly codes: readonly string[];
}

const { baseUrls } = readAccount();

/** The target URI as the service builds it, or undefined if the host is not one of its own. */
export function targetUriOf({ host, target }: Exchange['arrived']): string | undefined {
  // The recorder has no TLS, so its default port stands for the service's.
  const authority = host.toLowerCase().replace(/:(?:80|443)$/, '');
  const base = baseUrls.find((url) => url === `https://${authority}`);
  return base === undefined ? undefined : base + target;
}

/** The URL that its author believes is called: the author's port 80 is 443 for the service. */
export function heldUrlOf({ url }: Exchange['held']): string {
  return url.replace(/^(https:\/\/[^/?#]*):80(?=[/?#]|$)/i, '$1:443');
}

/** Compares the held and the received request, independently of the explainer's method. */
export function differencesOf({ held, arrived }: Exchange): readonly Difference[] {
  const targetUri = targetUriOf(arrived);
  if (targetUri === undefined) return [];
  return [
    ...methodDifferences(held.method, arrived.method),
    ...urlDifferences(heldUrlOf(held), targetUri),
    ...(arrived.body === undefined ? [] : bodyDifferences(bytesOf(held.body), bytesOf(arrived.body))),
    ...headerDifferences(arrived.headers, held.body !== undefined && bytesOf(held.body).length > 0),
  ];
}

function methodDifferences(held: string, arrived: string): readonly Difference[] {
  if (held === arrived) return [];
  if (held.toUpperCase() === arrived.toUpperCase())
    return [{ part: 'method', kind: 'case', codes: ['method_case'] }];
  const codes = [
    'method_other',
    ...(/^(?:GET|HEAD)(?:GET|HEAD)$/i.test(held + arrived) ? ['method_head_as_get'] : []),
  ];
  return [{ part: 'method', kind: 'other', codes }];
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** With its question mark; empty without one. */
  readonly query: string;
  readonly fragment: string;
}

function partsOf(url: string): UrlParts {
  const [, scheme = '', host = '', path = '', query = '', fragment = ''] =
    /^([a-z]+):\/\/([^/?#\\]*)([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url) ?? [];
  return { scheme, host, path, query, fragment };
}

function urlDifferences(heldUrl: string, arrivedUrl: string): readonly Difference[] {
  const codes = refusedCodes(arrivedUrl);
  if (heldUrl === arrivedUrl)
    return codes.length === 0 ? [] : [{ part: 'path', kind: 'sent as it must not be', codes }];
  return partDifferences(heldUrl, arrivedUrl).map((one) => ({ ...one, codes: [...one.codes, ...codes] }));
}

/** A target with a fragment or with raw bytes beyond ASCII is rejected, even if it was signed like this. */
function refusedCodes(url: string): readonly string[] {
  return /[^\x21-\x7e]|#/.test(url) ? ['request_malformed'] : [];
}

function partDifferences(heldUrl: string, arrivedUrl: string): readonly Difference[] {
  const held = partsOf(heldUrl);
  const arrived = partsOf(arrivedUrl);
  const differences: Difference[] = [];
  if (held.scheme !== arrived.scheme)
    differences.push({ part: 'host', kind: 'scheme', codes: ['url_scheme', 'base_value_case'] });
  if (held.host !== arrived.host) differences.push(hostDifference(held.host, arrived.host));
  if (held.path !== arrived.path) differences.push(...pathDifferences(held.path, arrived.path));
  if (held.query !== arrived.query) differences.push(...queryDifferences(held.query, arrived.query));
  if (held.fragment !== arrived.fragment)
    differences.push({ part: 'fragment', kind: 'fragment', codes: ['url_fragment'] });
  return differences;
}

function hostDifference(held: string, arrived: string): Difference {
  const part = 'host';
  if (held.toLowerCase() === arrived)
    return { part, kind: 'case', codes: ['url_host_case', 'base_value_case'] };
  if (/[^\x00-\x7f]/.test(held)) return { part, kind: 'unicode', codes: ['url_host_unicode'] };
  if (held.replace(/:\d+$/, '') === arrived.replace(/:\d+$/, ''))
    return { part, kind: 'port', codes: ['url_host_port'] };
  if (held.includes('@')) return { part, kind: 'user', codes: ['url_other_host'] };
  return { part, kind: 'other', codes: ['url_other_host', 'url_internal_host'] };
}

/** One difference for each kind of change that is needed to get from one path to the other. */
function pathDifferences(heldPath: string, arrivedPath: string): readonly Difference[] {
  const steps: readonly (readonly [
    kind: string,
    codes: readonly string[],
    normal: (path: string) => string,
  ])[] = [
    ['encoding', ['url_path_encoding'], (path) => lenientlyDecoded(path).replaceAll('\\', '/')],
    ['dot segments', ['url_dot_segments'], withoutDots],
    ['double slash', ['url_double_slash'], (path) => path.replace(/\/{2,}/g, '/')],
    ['trailing slash', ['url_trailing_slash'], (path) => path.replace(/\/+$/, '')],
  ];
  if (heldPath.toLowerCase() === arrivedPath.toLowerCase())
    return [{ part: 'path', kind: 'case', codes: ['url_path_encoding', 'base_value_case'] }];
  const needed = neededSteps(steps, heldPath, arrivedPath);
  if (needed) return needed.map(([kind, codes]) => ({ part: 'path', kind, codes }));
  const codes = ['url_path_prefix', 'url_path_encoding', 'url_path_only'];
  return [{ part: 'path', kind: 'other', codes }];
}

/** The fewest steps after which both are the same, or undefined if there are none. */
function neededSteps<Step extends readonly [...unknown[], (text: string) => string]>(
  steps: readonly Step[],
  first: string,
  second: string,
): readonly Step[] | undefined {
  const subsets = Array.from({ length: 2 ** steps.length }, (_, bits) =>
    steps.filter((_step, index) => bits & (1 << index)),
  ).toSorted((a, b) => a.length - b.length);
  return subsets.find((subset) => {
    const normal = (text: string): string =>
      subset.reduce((result, step) => (step.at(-1) as (text: string) => string)(result), text);
    return normal(first) === normal(second);
  });
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return kept.join('/');
}

function queryDifferences(heldQuery: string, arrivedQuery: string): readonly Difference[] {
  const part = 'query';
  if (heldQuery === '?' || arrivedQuery === '?')
    return [{ part, kind: 'question mark', codes: ['url_trailing_question_mark'] }];
  if (heldQuery === '' || arrivedQuery === '')
    return [{ part, kind: 'without', codes: ['url_no_query', 'url_query_part'] }];
  if (heldQuery.toLowerCase() === arrivedQuery.toLowerCase())
    return [{ part, kind: 'case', codes: ['url_query_encoding', 'base_value_case'] }];
  return pairDifferences(heldQuery.slice(1), arrivedQuery.slice(1), {
    part,
    encoding: ['url_query_encoding'],
    order: ['url_query_order'],
    other: ['url_query_part', 'url_query_encoding'],
  });
}

interface PairCodes {
  readonly part: 'query' | 'body';
  readonly encoding: readonly string[];
  readonly order: readonly string[];
  readonly other: readonly string[];
}

/** Compares two texts of `name=value` pairs. */
function pairDifferences(
  held: string,
  arrived: string,
  { part, encoding, order, other }: PairCodes,
): readonly Difference[] {
  const decoded = (text: string): string => lenientlyDecoded(text.replaceAll('+', ' '));
  const isWholeSame = decoded(held) === decoded(arrived);
  const heldPairs = held.split('&').map(decoded);
  const arrivedPairs = arrived.split('&').map(decoded);
  if (isWholeSame || heldPairs.join('&') === arrivedPairs.join('&'))
    return [{ part, kind: 'encoding', codes: encoding }];
  if (heldPairs.toSorted().join('&') !== arrivedPairs.toSorted().join('&'))
    return [{ part, kind: 'other', codes: other }];
  const isOnlyOrder = held.split('&').toSorted().join('&') === arrived.split('&').toSorted().join('&');
  const orderDifference: Difference = { part, kind: 'order', codes: order };
  return isOnlyOrder ? [orderDifference] : [orderDifference, { part, kind: 'encoding', codes: encoding }];
}

/** Decodes escapes as UTF-8, others as Latin-1, and leaves invalid ones unchanged. */
function lenientlyDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
    const utf8 = bytes.toString();
    return utf8.includes('\uFFFD') ? bytes.toString('latin1') : utf8;
  });
}

function bodyDifferences(held: Buffer, arrived: Buffer): readonly Difference[] {
  const part = 'body';
  if (arrived.length === 0) return [{ part, kind: 'lost', codes: ['body_missing'] }];
  if (held.length === 0)
    return [{ part, kind: 'appeared', codes: ['body_empty', 'digest_not_covered', 'header_missing'] }];
  const [heldText, arrivedText] = [textOf(held), textOf(arrived)];
  if (heldText.text === arrivedText.text && heldText.charset !== arrivedText.charset)
    return [{ part, kind: 'charset', codes: ['body_charset'] }];
  return textDifferences(heldText.text, arrivedText.text).map((difference) => ({ part, ...difference }));
}

function textOf(bytes: Buffer): { readonly text: string; readonly charset: string } {
  const utf8 = bytes.toString();
  return Buffer.from(utf8).equals(bytes)
    ? { text: utf8, charset: 'utf-8' }
    : { text: bytes.toString('latin1'), charset: 'latin1' };
}

function textDifferences(held: string, arrived: string): readonly Omit<Difference, 'part'>[] {
  const plain = plainDifference(held, arrived);
  if (plain) return [plain];
  if (isPrinted(held) || isPrinted(arrived)) return [printed];
  const [heldJson, arrivedJson] = [parsed(held), parsed(arrived)];
  // JSON in a JSON string, even with a NUL byte that makes it invalid JSON.
  if (arrivedJson?.value === held || heldJson?.value === arrived)
    return [{ kind: 'twice', codes: ['body_json_twice'] }];
  if (heldJson && arrivedJson) return [jsonDifference(held, heldJson.value, arrived, arrivedJson.value)];
  // JSON on one side only, and not a form on the other: a library printed the object.
  const isForm = (text: string): boolean => /^[^\s={}[\]"]+=/.test(text);
  if (arrivedJson || (heldJson && !isForm(arrived) && !/^[^\x00-\x7f]/.test(arrived))) return [printed];
  if (/^[^\s={}]+=/.test(held) && /^[^\s={}]+=/.test(arrived)) {
    const codes = ['body_encoded', 'body_form_encoded'];
    return pairDifferences(held, arrived, { part: 'body', encoding: codes, order: codes, other: codes });
  }
  if (/[^\x00-\x7f]/.test(held)) return [{ kind: 'charset', codes: ['body_charset', 'body_other'] }];
  return [{ kind: 'other', codes: ['body_other', 'body_encoded'] }];
}

const printed = { kind: 'printed', codes: ['body_printed', 'body_python_repr'] };

/** Returns true if a text is an object as JavaScript prints it. */
function isPrinted(text: string): boolean {
  return text.includes('[object Object]');
}

/** Differences that do not depend on the media type. */
function plainDifference(held: string, arrived: string): Omit<Difference, 'part'> | undefined {
  const edge = 'body_trailing_newline';
  const ends = ['body_line_ends', edge];
  if (held.replace(/^\uFEFF/, '') === arrived.replace(/^\uFEFF/, ''))
    return { kind: 'byte order mark', codes: ['body_bom'] };
  if (withoutEdges(held) === withoutEdges(arrived)) return { kind: 'edge', codes: [edge] };
  if (isReplaced(held, arrived)) return { kind: 'charset', codes: ['body_charset'] };
  const unix = (text: string): string => text.replace(/\r\n?/g, '\n');
  if (unix(held) === unix(arrived)) return { kind: 'line ends', codes: ['body_line_ends'] };
  const joined = (text: string): string => text.replace(/[\r\n]/g, '');
  if (joined(held) === joined(arrived))
    return { kind: 'line ends lost', codes: [...ends, 'body_json_whitespace', 'body_json_separators'] };
  // `100%` and `100%25` are the same value, escaped in one of them.
  const isOneTheStart = held.startsWith(arrived) || arrived.startsWith(held);
  if (isOneTheStart && lenientlyDecoded(held) !== lenientlyDecoded(arrived))
    return { kind: 'cut', codes: ['body_truncated'] };
  return undefined;
}

/** Some programs end a text at a NUL byte. */
function withoutEdges(text: string): string {
  return text.replace(/^[\s\uFEFF]+|[\s\uFEFF\0]+$/g, '');
}

/** Returns true if a charset that lacks some of the letters replaced them with question marks. */
function isReplaced(held: string, arrived: string): boolean {
  const [letters, others] = [Array.from(held), Array.from(arrived)];
  return (
    letters.length === others.length &&
    letters.every((one, index) => one === others[index] || (one > '\x7f' && others[index] === '?'))
  );
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch {
    return undefined;
  }
}

/** A re-serialised document is one mistake, whatever its library does differently. Any of its traces names it. */
function jsonDifference(
  heldText: string,
  held: unknown,
  arrivedText: string,
  arrived: unknown,
): Omit<Difference, 'part'> {
  if (typeof held !== typeof arrived && (typeof held === 'string' || typeof arrived === 'string'))
    return { kind: 'twice', codes: ['body_json_twice'] };
  const [first, second] = [tokensOf(heldText), tokensOf(arrivedText)];
  const traces: string[] = [];
  if (first.spaces.join('|') !== second.spaces.join('|')) traces.push('spaces');
  if (first.names.toSorted().join() !== second.names.toSorted().join()) traces.push('members');
  else if (first.names.join() !== second.names.join()) traces.push('order');
  if (differentlyWritten(first.strings, second.strings)) traces.push('escapes');
  if (first.numbers.join() !== second.numbers.join()) traces.push('numbers');
  const isExplained = traces.includes('members') || traces.includes('numbers');
  if (!isExplained && sortedText(held) !== sortedText(arrived)) traces.push('members');
  return { kind: traces.join(' + '), codes: traces.flatMap((trace) => traceCodes[trace]!) };
}

const traceCodes: Readonly<Record<string, readonly string[]>> = {
  spaces: ['body_json_whitespace', 'body_json_separators', 'body_trailing_newline', 'body_line_ends'],
  order: ['body_json_key_order'],
  escapes: ['body_json_escapes'],
  numbers: ['body_json_numbers'],
  members: ['body_json_members'],
};

/** The parts of a document's text. All but the names are sorted, so that their order does not count. */
interface Tokens {
  /** As they are meant, in order. */
  readonly names: readonly string[];
  readonly strings: readonly string[];
  readonly numbers: readonly string[];
  /** Each with the character before it. */
  readonly spaces: readonly string[];
}

function tokensOf(text: string): Tokens {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\s+|[^\s]/gs) ?? [];
  const solid = tokens.filter((token) => /\S/.test(token));
  const isSpace = (token: string): boolean => !/\S/.test(token);
  return {
    names: solid.filter((token, index) => token.startsWith('"') && solid[index + 1] === ':').map(valueOf),
    strings: solid.filter((token) => token.startsWith('"')).toSorted(),
    numbers: solid.filter((token) => /^-?\d/.test(token)).toSorted(),
    spaces: tokens
      .flatMap((token, index) => (isSpace(token) ? [`${tokens[index - 1]?.at(-1) ?? ''}${token}`] : []))
      .toSorted(),
  };
}

/** Returns true if a string with the same content is written in two ways. */
function differentlyWritten(first: readonly string[], second: readonly string[]): boolean {
  const written = new Map(first.map((raw) => [valueOf(raw), raw]));
  return second.some((raw) => {
    const other = written.get(valueOf(raw));
    return other !== undefined && other !== raw;
  });
}

function valueOf(raw: string): string {
  return (parsed(raw)?.value as string | undefined) ?? raw;
}

function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => `${JSON.stringify(name)}:${sortedText(one)}`)
    .join()}}`;
}

const always = ['date', 'signature-input', 'signature'];

function headerDifferences(headers: Exchange['arrived']['headers'], hasBody: boolean): readonly Difference[] {
  return [...always, ...(hasBody ? ['content-digest'] : [])].flatMap((wanted): Difference[] => {
    const lines = headers.filter(([name]) => name.toLowerCase() === wanted);
    const part = 'header';
    if (lines.length === 0)
      return [
        { part, kind: `${wanted} lost`, codes: ['header_missing', 'header_stripped', 'header_renamed'] },
      ];
    if (lines.length > 1) return [{ part, kind: `${wanted} repeated`, codes: ['header_repeated'] }];
    if (lines[0]![1] === undefined) return [];
    return [{ part, kind: `${wanted} changed`, codes: changedCodes[wanted]! }];
  });
}

const changedCodes: Readonly<Record<string, readonly string[]>> = {
  date: ['date_differs', 'base_other_date', 'date_read_twice', 'date_format', 'clock_off'],
  'content-digest': ['digest_changed_after_signing', 'digest_form'],
  'signature-input': ['signature_input_format', 'base_params_rebuilt', 'signature_plus_lost'],
  signature: ['signature_form', 'signature_plus_lost', 'signature_line_breaks', 'signature_escaped'],
};
