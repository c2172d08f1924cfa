import { latin1Bytes, latin1Text, utf8Bytes } from '../byte-text.ts';
import type { ChangeCode } from './change-kinds.ts';
import { type HopChange, namedChange, textDifference } from './hop-change.ts';
import type { ReadView } from './request-view.ts';

export interface HeaderChanges {
  readonly changes: readonly HopChange[];
  /** The number of changed headers that are neither signed nor listed. */
  readonly more: number;
}

/** Compares the headers of two views. `covered` has the names, in lower case, that the signature covers. */
export function headerChanges(
  before: ReadView,
  after: ReadView,
  covered: ReadonlySet<string>,
): HeaderChanges {
  const names = new Set([...before.headers.keys(), ...after.headers.keys()]);
  const changes: HopChange[] = [];
  let unsigned = 0;
  for (const name of names) {
    // The host is a part of the URL.
    if (name === 'host' || name.startsWith(':')) continue;
    const code = codeOf(before.headers.get(name) ?? [], after.headers.get(name) ?? []);
    if (code === undefined) continue;
    const isSigned = covered.has(name);
    if (!isSigned && ++unsigned > unsignedMax) continue;
    changes.push(changeOf(name, code, before, after, isSigned));
  }
  return {
    changes: [...changes.filter(({ isSigned }) => isSigned), ...changes.filter(({ isSigned }) => !isSigned)],
    more: Math.max(0, unsigned - unsignedMax),
  };
}

/** The most unsigned headers to list for one hop. */
const unsignedMax = 40;

/**
 * Headers whose values matter here and are not secret. Others may contain passwords, so only their names are
 * shown.
 */
const shownNames: ReadonlySet<string> = new Set([
  'content-digest',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'digest',
  'expect',
  'signature',
  'signature-input',
  'transfer-encoding',
]);

function changeOf(
  name: string,
  code: ChangeCode,
  before: ReadView,
  after: ReadView,
  isSigned: boolean,
): HopChange {
  const [was, is] = [before, after].map((view) => (view.headers.get(name) ?? []).join('\n'));
  const difference = shownNames.has(name) ? textDifference(was!, is!) : undefined;
  return {
    part: 'header',
    header: spelledIn(after, name) ?? spelledIn(before, name) ?? name,
    kinds: [namedChange(code)],
    ...(difference && { difference }),
    isSigned,
  };
}

function spelledIn({ view }: ReadView, name: string): string | undefined {
  return view.headers.find(([written]) => written.toLowerCase() === name)?.[0];
}

/** Names the change between two values of a header. Undefined if there is none. */
function codeOf(before: readonly string[], after: readonly string[]): ChangeCode | undefined {
  if (before.length === after.length && before.every((value, index) => value === after[index]))
    return undefined;
  if (before.length === 0) return 'header_added';
  if (after.length === 0) return 'header_removed';
  const [was, is] = [before.join(', '), after.join(', ')];
  if (was === is) return before.length > after.length ? 'header_joined' : 'header_repeated';
  if (after.length > before.length) return 'header_repeated';
  const sameOnce = (form: (text: string) => string): boolean => form(was) === form(is);
  if (sameOnce((text) => text.replace(/\r?\n[ \t]+/g, ' '))) return 'header_folded';
  if (sameOnce((text) => text.replace(/\s+/g, ''))) return 'header_spaces';
  if (sameOnce(sortedList)) return 'header_reordered';
  if (sameOnce((text) => text.toLowerCase())) return 'header_case';
  const isEncoded = was === latin1Text(utf8Bytes(is)) || is === latin1Text(utf8Bytes(was));
  if (isEncoded || isSameWithoutOctets(was, is)) return 'header_encoded';
  return 'header_changed';
}

function sortedList(text: string): string {
  return text
    .split(',')
    .map((value) => value.trim())
    .toSorted()
    .join();
}

/** Returns true if only non-ASCII text differs, as after a lossy conversion. */
function isSameWithoutOctets(was: string, is: string): boolean {
  const ascii = (text: string): string => text.replace(/[^\x00-\x7f]+|\?+/g, '?');
  return latin1Bytes(was).some((byte) => byte > 0x7f) && ascii(was) === ascii(is);
}
