import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { operations, problems } from '@countersign/contract';
import { findings } from '@countersign/explain';
import { type PortalDocument, renderDocuments, sectionsOf } from '../documents/documents.ts';
import { type Guide, guides } from '../documents/guides.ts';
import { guideHtml, textOf } from '../documents/guide-html.ts';
import { isLanguage, tokensOf } from '../src/code/tokens.ts';
import { hitsIn, piecesOf, searchSections, searchWords } from '../src/documents/document-search.ts';
import { valueFor } from '../src/documents/document-values.ts';

const documents = renderDocuments();
const bySlug = new Map(documents.map((document) => [document.slug, document]));
const guide: Guide = { slug: 'signing/test', file: 'docs/signing/test.md', group: 'Get started' };

function anchorsOf({ html }: PortalDocument): readonly string[] {
  return [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
}

describe('a document of the portal', () => {
  it('shows HTML of its file as text, and no address that could run', () => {
    const text = [
      '# Title',
      '<script>alert(1)</script>',
      'a <img src=x onerror=alert(1)> b',
      '![picture](javascript:alert(1))',
      '[script](javascript:alert(1)) [data](data:text/html,x) [away](//evil.example/)',
      '`<b>` and <https://good.example/?a=1&b="2">',
      '```sh\n<script>$(id)</script>\n```',
    ].join('\n\n');
    const { title, html } = guideHtml(text, guide);
    assert.equal(title, 'Title');
    const tags = [...html.matchAll(/<\/?([a-z0-9]+)/g)].map(([, name]) => name);
    const expected = ['p', 'code', 'a', 'div', 'pre', 'button', 'span'];
    assert.deepEqual(
      tags.filter((tag) => !expected.includes(tag ?? '')),
      [],
      html,
    );
    assert.doesNotMatch(html, /href="(?!https:\/\/good\.example)/);
    assert.doesNotMatch(html, /<[^>]*\son\w+=|<[^>]*\sstyle=/);
  });

  it('leaves out links to files that the portal does not show', () => {
    const { html } = guideHtml(
      '# T\n\n[codes](../errors.md#signature_missing) [here](#t) [code](../../packages/gate/src/gate.ts) [web](https://a.example/)',
      guide,
    );
    assert.equal(
      html.trim(),
      '<p><a href="/portal/docs/errors#signature_missing">codes</a> <a href="#t">here</a> code ' +
        '<a href="https://a.example/" target="_blank" rel="noopener noreferrer">web</a></p>',
    );
  });

  it('marks where values belong, but not where the example is the point', () => {
    const code =
      '```sh\nCLIENT_ID=client_… node x.mjs https://api.example.com/v1 https://api.example.community/ "client_…"\n```';
    const { html } = guideHtml(`# T\n\n${code}`, guide);
    assert.deepEqual(
      [...html.matchAll(/data-fill="(\w+)">([^<]*)/g)].map(([, name, text]) => [name, text]),
      [
        ['clientId', 'client_…'],
        ['baseUrl', 'https://api.example.com'],
        ['clientIdInString', 'client_…'],
      ],
    );
    assert.doesNotMatch(guideHtml(`# T\n\n${code}`, { ...guide, keepsExamples: true }).html, /data-fill/);
  });

  it('marks every address of the demo in its code', () => {
    for (const { slug, html } of documents) {
      if (guides.find((each) => each.slug === slug)?.keepsExamples) continue;
      for (const [, inner = ''] of html.matchAll(/<code data-language[^>]*>([^]*?)<\/code>/g))
        assert.doesNotMatch(
          textOf(inner.replaceAll(/<span data-fill="\w+">[^<]*/g, '')),
          /127\.0\.0\.1:8421/,
          slug,
        );
    }
  });

  for (const document of documents) {
    it(`${document.slug}: every link leads somewhere, and nothing in it runs or loads`, () => {
      const anchors = anchorsOf(document);
      assert.equal(new Set(anchors).size, anchors.length, 'an anchor occurs twice');
      for (const [, href = ''] of document.html.matchAll(/ href="([^"]*)"/g)) {
        if (/^https?:\/\//.test(href) || href === '/openapi.json') continue;
        if (/^\/portal\/try-it\?operation=\w+$/.test(href)) continue;
        const [, slug, anchor] = /^(?:\/portal\/docs\/([^#]*))?(?:#(.*))?$/.exec(href) ?? [];
        const target = slug === undefined ? document : bySlug.get(slug);
        assert.ok(target, `${href} leads to no document`);
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(decodeURIComponent(anchor)), href);
      }
      assert.doesNotMatch(document.html, /<(?:script|style|img|link|iframe|form|svg)\b/);
      assert.doesNotMatch(document.html, /<[^>]*\s(?:on\w+|style|src)=/);
      assert.ok(document.title !== '' && textOf(document.html).length > 100);
    });
  }

  it('explains every error code, every finding and every operation at its own anchor', () => {
    const errors = anchorsOf(bySlug.get('errors')!);
    for (const code of Object.keys(problems)) assert.ok(errors.includes(code), code);
    const mistakes = anchorsOf(bySlug.get('troubleshooting')!);
    for (const code of Object.keys(findings)) assert.ok(mistakes.includes(code), code);
    const reference = documents.filter(({ slug }) => slug.startsWith('api/')).flatMap(anchorsOf);
    for (const { id } of Object.values(operations)) assert.ok(reference.includes(id), id);
  });

  it('has a new portal built when its file changes', () => {
    const program = readFileSync(new URL('../../../tools/build-portal.mjs', import.meta.url), 'utf8');
    const list = (name: string): readonly string[] =>
      [...(new RegExp(`const ${name} = \\[([^\\]]*)`).exec(program)?.[1] ?? '').matchAll(/'([^']*)'/g)].map(
        ([, one = '']) => one,
      );
    const folders = list('documentFolders');
    const packages = list('documentPackages').map((name) => `packages/${name}/README.md`);
    for (const { file } of guides)
      assert.ok(packages.includes(file) || folders.includes(file.split('/')[0] ?? ''), file);
  });
});

describe('highlighted code', () => {
  it('is the same text again, in every block of the documents', () => {
    let count = 0;
    for (const { html } of documents) {
      for (const [, language = '', inner = ''] of html.matchAll(
        /<code data-language="(\w+)">([^]*?)<\/code>/g,
      )) {
        const code = textOf(inner);
        assert.ok(isLanguage(language));
        const tokens = tokensOf(code, language);
        assert.equal(tokens.map(({ text }) => text).join(''), code);
        count += 1;
      }
    }
    assert.ok(count > 150, String(count));
  });

  it('knows comments, strings and keywords, whatever they contain', () => {
    const kinds = (code: string, language: Parameters<typeof tokensOf>[1]): readonly unknown[] =>
      tokensOf(code, language).flatMap(({ kind, text }) => (kind ? [[kind, text]] : []));
    assert.deepEqual(kinds('return "if // no" # yes', 'python'), [
      ['keyword', 'return'],
      ['string', '"if // no"'],
      ['comment', '# yes'],
    ]);
    assert.deepEqual(kinds('{"a": "b", "c": -1.5, "d": null}', 'json'), [
      ['name', '"a"'],
      ['string', '"b"'],
      ['name', '"c"'],
      ['number', '-1.5'],
      ['name', '"d"'],
      ['keyword', 'null'],
    ]);
    assert.deepEqual(kinds('echo "$HOME" \'#\' # then', 'sh'), [
      ['keyword', 'echo'],
      ['string', '"$HOME"'],
      ['string', "'#'"],
      ['comment', '# then'],
    ]);
    assert.deepEqual(kinds('if "x', 'text'), []);
  });
});

describe('search in the documents', () => {
  const sections = sectionsOf(documents);
  const find = (search: string): readonly string[] =>
    searchSections(sections, searchWords(search), 10).map(
      ({ section }) => `${section.slug}#${section.anchor}`,
    );

  it('finds nothing where a word is missing', () => {
    assert.deepEqual(find('signature xyzzy-no-such-word'), []);
    assert.deepEqual(find('   '), []);
  });

  it('finds codes, operations and guides first', () => {
    assert.equal(find('signature_missing')[0], 'errors#signature_missing');
    assert.equal(find('first request python')[0], 'signing/python#');
    assert.equal(find('ADD a public key')[0], 'api/keys#addKey');
  });

  it('takes every character as itself', () => {
    assert.deepEqual(hitsIn('a.c abc (a+', ['a.c', '(a+']), [
      [0, 3],
      [8, 11],
    ]);
    const text = 'one <b>two</b>';
    const pieces = piecesOf(text, ['<b>']);
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
    assert.deepEqual(pieces[1], { text: '<b>', isHit: true });
  });
});

describe('values in the documents', () => {
  const values = { baseUrl: 'https://api.northwind.example/', clientId: "it's-$(id)-`id`" };

  it('cannot run in a shell, and cannot end a string', () => {
    assert.equal(valueFor('clientId', 'sh', values), String.raw`'it'\''s-$(id)-${'`id`'}'`);
    assert.equal(valueFor('clientId', 'sh', { ...values, clientId: 'client_01k9' }), 'client_01k9');
    // In a string of a shell, these quotes would end it.
    assert.equal(valueFor('clientIdInString', 'sh', values), undefined);
    assert.equal(valueFor('clientIdInString', 'sh', { ...values, clientId: 'client_01k9' }), 'client_01k9');
    for (const language of ['python', 'json', 'text'] as const) {
      assert.equal(valueFor('clientId', language, values), undefined);
      assert.equal(valueFor('clientId', language, { ...values, clientId: 'client_01k9' }), 'client_01k9');
    }
  });

  it('leave the example where there is none', () => {
    assert.equal(valueFor('clientId', 'sh', { ...values, clientId: undefined }), undefined);
    assert.equal(valueFor('other', 'sh', values), undefined);
    assert.equal(valueFor('baseUrl', 'sh', values), 'https://api.northwind.example');
  });
});
