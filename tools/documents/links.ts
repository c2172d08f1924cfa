import { posix } from 'node:path';
import type { MarkdownDocument } from './markdown.ts';

/**
 * Checks that every relative link leads to a file or folder of the repository, in the same case, and its
 * anchor to a heading. Ignores links to other hosts, on which a test must not depend.
 */
export function checkLinks(
  documents: ReadonlyMap<string, MarkdownDocument>,
  files: readonly string[],
): string[] {
  const known = new Set(files.flatMap((file) => [file, ...foldersOf(file)]));
  return [...documents].flatMap(([path, document]) =>
    document.links.flatMap(({ target, line }) => {
      const problem = problemOf(target, path, documents, known);
      return problem === undefined ? [] : [`${path}:${line} links to ${target}: ${problem}.`];
    }),
  );
}

function problemOf(
  target: string,
  from: string,
  documents: ReadonlyMap<string, MarkdownDocument>,
  known: ReadonlySet<string>,
): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return undefined;
  if (target === '') return 'the link is empty';
  const [encodedPath = '', anchor] = target.split('#', 2);
  const named = safeDecode(encodedPath);
  const base = named.startsWith('/') ? '.' : posix.dirname(from);
  const path = named === '' ? from : posix.join(base, named).replace(/\/$/, '');
  if (path.startsWith('..')) return 'that is outside the repository';
  if (!known.has(path)) return 'there is no such file (upper and lower case count)';
  const document = documents.get(path);
  if (anchor === undefined || document === undefined) return undefined;
  return document.anchors.has(anchor) ? undefined : `${path} has no heading with the anchor #${anchor}`;
}

function foldersOf(file: string): string[] {
  const folder = posix.dirname(file);
  return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)];
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
