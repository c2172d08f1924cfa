import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findings } from '@countersign/explain';
import { operations } from '@countersign/contract';
import { problems } from '@countersign/contract/problems';
import { keysOf, readSources, textsOf } from '../../tools/boundaries/imports.ts';
import { repositoryFiles } from '../../tools/documents/repository-files.ts';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { section } from './tables.ts';

const { text, markdown } = readDocument('CONTRIBUTING.md');
const files = repositoryFiles(root);
const sources = readSources(
  root,
  ['packages/*/src/**/*', 'packages/*/test/**/*', 'test/**/*', 'tools/**/*', 'bench/**/*'],
  (source) => ({ keys: keysOf(source), texts: new Set(textsOf(source)) }),
);
const routePaths = [...(sources.get('packages/portal/src/routes.tsx')?.texts ?? [])].filter((path) =>
  path.startsWith('/'),
);

/**
 * Things that are often added, with the number of files that one of them may touch, and the names of existing
 * ones in a table.
 */
const kinds: readonly {
  readonly heading: RegExp;
  readonly filesMax: number;
  readonly names: readonly string[];
  readonly namedIn: 'keys' | 'texts';
}[] = [
  {
    heading: /^An operation of the API: at most (\d+) files$/,
    filesMax: 8,
    names: Object.keys(operations),
    namedIn: 'keys',
  },
  {
    heading: /^A problem code: at most (\d+) files$/,
    filesMax: 6,
    names: Object.keys(problems),
    namedIn: 'keys',
  },
  {
    heading: /^A finding of the explainer: at most (\d+) files$/,
    filesMax: 5,
    names: Object.keys(findings),
    namedIn: 'keys',
  },
  {
    heading: /^A page of the portal: at most (\d+) files$/,
    filesMax: 4,
    names: routePaths,
    namedIn: 'texts',
  },
];

for (const { heading, filesMax, names, namedIn } of kinds) {
  const found = markdown.headings.map((each) => heading.exec(each.text)).find((match) => match !== null);
  describe(`CONTRIBUTING.md: ${found?.[0] ?? String(heading)}`, () => {
    const listed = found === undefined ? [] : listedPaths(section(text, found[0]));

    it('says no more than the limit, and lists no more than it says', () => {
      assert.ok(Number(found?.[1]) <= filesMax, `at most ${filesMax} files`);
      assert.ok(listed.length > 0 && listed.length <= Number(found?.[1]), listed.join(', '));
    });

    for (const path of listed) {
      it(`lists files that exist: ${path}`, () => {
        assert.ok(files.some((file) => patternOf(path).test(file)));
      });
    }

    it('lists every table that names most of what exists', () => {
      const tables = [...sources].filter(
        ([, source]) => names.filter((name) => source[namedIn].has(name)).length > names.length / 2,
      );
      assert.ok(tables.length > 0);
      // A path with several placeholders would match any table.
      const precise = listed.filter((path) => path.split(/[A-Z]{2,}/).length <= 2);
      for (const [file] of tables)
        assert.ok(
          precise.some((path) => patternOf(path).test(file)),
          file,
        );
    });

    it('is right about most of what exists: no more tables name it than files are listed', () => {
      const counts = names.map(
        (name) => [...sources.values()].filter((source) => source[namedIn].has(name)).length,
      );
      const median = counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0;
      assert.ok(median <= listed.length, `${median} files name one of them`);
    });
  });
}

/** Returns the paths at the start of each numbered item. Words in capitals stand for names. */
function listedPaths(list: string): string[] {
  return [...list.matchAll(/^\d+\. \[?`([^`]+)`/gm)].map(([, path = '']) => path);
}

function patternOf(path: string): RegExp {
  const parts = path
    .split(/([A-Z]{2,})/)
    .map((part, index) => (index % 2 === 1 ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('')}$`);
}
