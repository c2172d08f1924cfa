import { readMarkdown } from './markdown.ts';
import { blank, quotedText } from './quoted-text.ts';
import { unusedPhrases, type UnusedPhrase } from './unused-phrases.ts';

/** Files that people read, or whose string literals they read. */
const readByPeople: readonly RegExp[] = [
  /^[^/]+\.md$/,
  /^(?:docs|packages|signers)\/(?:.*\/)?[^/]+\.md$/,
  /^packages\/(?:contract|explain|signature|cli|client)\/src\/.*\.ts$/,
  /^packages\/cli\/bin\/help\.json$/,
  /^packages\/portal\/src\/.*\.tsx?$/,
  /^packages\/server\/src\/(?:people|configuration|reference)\/.*\.ts$/,
];

const patterns = unusedPhrases.map((entry) => ({
  entry,
  pattern: new RegExp(`(?<![\\w-])${entry.phrase.replaceAll(' ', '\\s+')}(?![\\w-])`, 'gi'),
}));

/** A link to a test by its name. */
const namedTest = /\[[^\]]*\]\([^)]*\.test\.ts\)/g;

/** Finds unused phrases in a file that people read. */
export function checkWording(path: string, text: string): string[] {
  if (!readByPeople.some((form) => form.test(path))) return [];
  const read = textOf(path, text);
  return patterns
    .filter(({ entry }) => counts(entry, path))
    .flatMap(({ entry, pattern }) =>
      [...read.matchAll(pattern)].map((match) => {
        const line = read.slice(0, match.index).split('\n').length;
        return `${path}:${line} says "${match[0].replaceAll(/\s+/g, ' ')}": say "${entry.say}" (tools/documents/unused-phrases.ts).`;
      }),
    );
}

/** Returns the parts of a file that people read; everything else is blank, so that positions stay. */
function textOf(path: string, text: string): string {
  if (path.endsWith('.md')) return readMarkdown(text).prose.replaceAll(namedTest, blank);
  if (!/\.tsx?$/.test(path)) return text;
  // Messages may be a single word; elsewhere a single lower-case word is a name in code.
  const isName = path.includes('/messages/')
    ? () => false
    : (word: string) => /^.[a-z][\w.:/-]*.$/.test(word);
  return quotedText(text, isName);
}

function counts({ onlyIn, allowedIn }: UnusedPhrase, path: string): boolean {
  const isUnder = (folder: string): boolean => path.startsWith(folder);
  return (onlyIn?.some(isUnder) ?? true) && !(allowedIn?.some(isUnder) ?? false);
}
