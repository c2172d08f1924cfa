import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/**
 * What has to load before a page is whole: JavaScript as the service sends it to browsers, in bytes, and files without the
 * calls of the API. `test/portal/first-views.test.ts` measures the same in a browser, with the parts that pages load later.
 * Pages with forms have most. Each language is a build of its own.
 */
const bytesMax = 160_000;
const filesMax = 26;

/** The pages whose parts all load at once. The others load some only when they are asked for: a tab, a step, a dialog. */
const wholePages = [
  'src/pages/overview/overview-page.tsx',
  'src/pages/sign-in/sign-in-page.tsx',
  'src/pages/sign-in/invitation-page.tsx',
];

/** What the routes load, one page or several that share a file; and the page that another one shows in its place. */
const routes = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8');
const pages = [
  ...new Set(Array.from(routes.matchAll(/import\('\.\/(pages\/[^']+)'\)/g), ([, path]) => `src/${path}`)),
  'src/pages/api-keys/added-client-page.tsx',
].toSorted();

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = new URL('../dist/', import.meta.url);

const builds = [
  { language: 'English', manifest: 'manifest.json', html: 'index.html' },
  { language: 'German', manifest: 'manifest.de.json', html: 'index.de.html' },
];

for (const build of builds)
  describe(`what a browser loads in ${build.language}`, () => {
    let chunks: Readonly<Record<string, Chunk>>;
    let page: string;

    before(() => {
      const { status, stderr } = spawnSync(process.execPath, ['tools/build-portal.mjs'], {
        cwd: root,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      chunks = JSON.parse(readFileSync(new URL(build.manifest, folder), 'utf8')) as typeof chunks;
      page = readFileSync(new URL(build.html, folder), 'utf8');
    });

    /** With what they import. What the entry loads later are the other pages. */
    const filesOf = (names: readonly string[], isWhole: boolean): ReadonlySet<string> => {
      const seen = new Set<string>();
      const visit = (name: string): void => {
        const chunk = chunks[name];
        assert.ok(chunk, `${name} is not in the build.`);
        if (seen.has(chunk.file)) return;
        seen.add(chunk.file);
        const later = isWhole && name !== 'index.html' ? (chunk.dynamicImports ?? []) : [];
        const parts = later.filter((each) => !isPage(each));
        for (const each of [...(chunk.imports ?? []), ...parts]) visit(each);
      };
      names.forEach(visit);
      return seen;
    };
    const bytesOf = (files: ReadonlySet<string>): number =>
      [...files].filter((file) => file.endsWith('.js')).reduce((sum, file) => sum + sentBytes(file), 0);

    for (const view of pages) {
      const isWhole = wholePages.includes(view);
      it(`is at most ${bytesMax / 1000} kB of JavaScript for ${view}`, (context) => {
        const bytes = bytesOf(filesOf(['index.html', view], isWhole)) + scriptBytes(page);
        context.diagnostic(`${(bytes / 1000).toFixed(1)} kB`);
        assert.ok(bytes <= bytesMax, `${view} needs ${bytes} bytes.`);
      });

      it(`is at most ${filesMax} files for ${view}`, (context) => {
        // Besides the chunks: the page, its two style sheets, its font, its icon and the script that chooses the colours.
        const files = filesOf(['index.html', view], isWhole).size + 6;
        context.diagnostic(`${files} files`);
        assert.ok(files <= filesMax, `${view} needs ${files} files.`);
      });
    }

    it('comes from the service alone, and nothing of it is in the page itself', () => {
      const sources = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source]) => source ?? '');
      assert.ok(sources.length >= 3);
      for (const source of sources) assert.match(source, /^\/portal\/[\w./-]+$/);
      assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)[^>]*>/);
      assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=/);
    });

    it('has one place for the nonce', () => {
      assert.equal(page.split('__CSP_NONCE__').length, 2);
    });

    it('is found for every page', () => {
      assert.ok(pages.length > 25, `${pages.length} pages`);
    });

    const isPage = (name: string): boolean => pages.includes(name);
  });

/** The script that chooses light or dark before the first paint is no chunk. */
function scriptBytes(page: string): number {
  const scripts = [...page.matchAll(/<script src="\/portal\/([\w.-]+)"/g)].map(([, name]) => name ?? '');
  return scripts.reduce((sum, name) => sum + sentBytes(name), 0);
}

/** Browsers accept Brotli, and the build compresses every file that is not tiny. */
function sentBytes(file: string): number {
  const compressed = new URL(`${file}.br`, folder);
  return readFileSync(existsSync(compressed) ? compressed : new URL(file, folder)).length;
}
