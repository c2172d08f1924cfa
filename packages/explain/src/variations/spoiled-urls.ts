import { type Alternative, alternative } from '../drafts/alternatives.ts';
import type { UrlForm } from '../drafts/base-draft.ts';
import type { Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import type { UrlParts } from '../reading/url-parts.ts';
import { withoutShellNames } from './shell-expansion.ts';
import {
  placeholdersFor,
  usualPlaceholdersFor,
  wordsOfExpansion,
  wordsOfPlaceholder,
} from './unset-values.ts';

/** Lists whole URLs that are damaged in one place: too many to combine with other mistakes. */
export function spoiledUrls(url: UrlParts): readonly Alternative<UrlForm>[] {
  const { scheme, authority, path, query, fragment } = url;
  const whole = scheme + authority + path + query + fragment;
  const known = new Set([whole]);
  const list: Alternative<UrlForm>[] = [];
  const put = (text: string, code: FindingCode, words: string | Words): void => {
    if (known.has(text)) return;
    known.add(text);
    list.push(alternative(code, words, 3, { write: () => text, parts: [] }));
  };
  const afterScheme = whole.slice(scheme.length);
  const isSecure = scheme.toLowerCase() === 'https://';
  for (const other of isSecure ? ['wss://', 'ws://'] : ['ws://', 'wss://'])
    put(other + afterScheme, 'url_scheme', wordsOfStart(other, scheme));
  const name = scheme.slice(0, -2);
  for (const other of [
    `${name}/`,
    name,
    `${name}///`,
    `${name.slice(0, -1)}//`,
    `${name}\\\\`,
    `${scheme}${scheme}`,
  ])
    put(other + afterScheme, 'url_double_slash', {
      ...wordsOfStart(other, scheme),
      mend: 'Build the URL from one text, and sign it as you call it: functions that clean up paths spoil the slashes of a scheme.',
    });
  for (const { text, names } of withoutShellNames(path))
    put(scheme + authority + text + query, 'url_path_prefix', wordsOfExpansion(path, text, names));
  for (const { text, names } of withoutShellNames(path + query))
    put(scheme + authority + text, 'url_query_part', wordsOfExpansion(path + query, text, names));
  addPlaceholders(url, put);
  addSpaces(url, put);
  addWhiteSpace(whole, put);
  return list;
}

function wordsOfStart(signed: string, arrived: string): Words {
  return {
    signed: `a URL that starts with ${signed}, but the one that arrived starts with ${arrived}`,
  };
}

type Put = (text: string, code: FindingCode, words: string | Words) => void;

/** A segment of the path that was signed as the name of its value. */
function addPlaceholders({ scheme, authority, path, query }: UrlParts, put: Put): void {
  const segments = path.split('/').slice(0, segmentsMax);
  for (const [index, segment] of segments.entries()) {
    if (segment === '') continue;
    const owner = (segments[index - 1] ?? '').replace(/s$/, '');
    const names = owner === '' ? usualNames : [owner, `${owner}Id`, ...usualNames];
    for (const placeholder of [...placeholdersFor('id'), ...names.flatMap(usualPlaceholdersFor)]) {
      const written = segments.with(index, placeholder).join('/');
      put(scheme + authority + written + query, 'url_path_prefix', wordsOfPlaceholder(placeholder, segment));
    }
  }
}

const segmentsMax = 6;
const usualNames = ['name', 'uuid', 'resource'];

/** Spaces of path and query, each part in its own way. */
function addSpaces({ scheme, authority, path, query, fragment }: UrlParts, put: Put): void {
  if (!/%20|\+/.test(path)) return;
  for (const inPath of ['+', '%20'])
    for (const inQuery of ['+', '%20']) {
      const written = path.replace(/\+|%20/g, inPath) + query.replace(/\+|%20/g, inQuery);
      put(scheme + authority + written + fragment, 'url_path_encoding', `spaces as ${inPath} in the path`);
    }
}

/** White space that a line break in a program, a template or a paste leaves in a URL. */
function addWhiteSpace(whole: string, put: Put): void {
  const places = [...whole.matchAll(/(?<=[/?&=,])|(?=[/?&=,])/g)].slice(0, placesMax);
  for (const { index } of places) {
    if (index < 1) continue;
    // Programs break lines before the text that joins the parts.
    const isJoint = /^[/?&]/.test(whole.slice(index));
    for (const [text, name] of isJoint ? [...whiteSpaces, ...lineBreaks] : whiteSpaces)
      put(whole.slice(0, index) + text + whole.slice(index), 'base_value_trimmed', {
        signed: `the URL with ${name} before ${shown(whole.slice(index))}`,
        mend: 'Build the URL without white space: check line breaks in the text of your program, and values that end with one.',
      });
  }
}

function shown(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

const placesMax = 40;
const shownLength = 24;
const whiteSpaces: readonly (readonly [text: string, name: string])[] = [
  [' ', 'a space'],
  ['\n', 'a newline'],
];
const lineBreaks: typeof whiteSpaces = [
  ['\r\n', 'CRLF'],
  ['\t', 'a tab'],
  ['\n    ', 'a newline and 4 spaces'],
  ['\n  ', 'a newline and 2 spaces'],
];
