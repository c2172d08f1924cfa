import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDocuments } from '../documents/check.ts';
import { executableBlocks } from '../documents/executable-blocks.ts';
import { readMarkdown } from '../documents/markdown.ts';
import { unusedPhrases } from '../documents/unused-phrases.ts';
import { type Tree, withTree } from './temporary-tree.ts';

const sound: Tree = {
  'README.md': [
    '# Product',
    'See [errors](docs/errors.md#not_found), [the folder](docs/), [below](#how-it-is-run) and [`code`][table].',
    '![picture](<docs/a picture.svg>) <a href="LICENSE">licence</a> [web](https://example.com/#nowhere)',
    '[table]: packages/contract/src/problems.ts "the table"',
    '## How it is *run*?',
    '<!-- [hidden](nowhere.md) --> `[inline](nowhere.md)`',
    '```sh test',
    'echo "[fenced](nowhere.md)"',
    '```',
    '```sh',
    'if not for tests (',
    '```',
  ].join('\n'),
  LICENSE: 'text',
  'docs/a picture.svg': '<svg/>',
  'docs/errors.md':
    '# Errors\n## Framing\n### `not_found`\nStatus 404. [Back](../README.md)\n### `request_malformed`\n400: send …\n',
  'docs/operations/start.md': '# Start\nSet COUNTERSIGN_PORT.\n',
  'docs/operations/settings.md':
    '# Settings\n| `COUNTERSIGN_PORT` | the port |\n| `COUNTERSIGN_DATA_FOLDER` | the folder |\n',
  'packages/contract/src/problems.ts':
    'export const problems = { not_found: { status: 404 }, request_malformed: { status: 400 } };',
  'packages/server/src/configuration/settings.ts':
    "export const settings = [{ environment: 'COUNTERSIGN_PORT' }, { environment: 'COUNTERSIGN_DATA_FOLDER' }];",
  'node_modules/other/README.md': '[ignored](nowhere.md)',
};

async function findingsOf(change: Tree, without: readonly string[] = []): Promise<string> {
  let findings: readonly string[] = [];
  const tree = Object.entries({ ...sound, ...change }).filter(([path]) => !without.includes(path));
  await withTree(Object.fromEntries(tree), async (root) => {
    ({ findings } = await checkDocuments(root));
  });
  return findings.join('\n');
}

describe('links', () => {
  const broken: readonly (readonly [link: string, says: string])[] = [
    ['[x](docs/missing.md)', 'docs/missing.md: there is no such file'],
    ['[x](Docs/errors.md)', 'there is no such file'],
    ['[x](docs/errors.md#nothing)', 'docs/errors.md has no heading with the anchor #nothing'],
    ['[x](#nothing)', 'page.md has no heading with the anchor #nothing'],
    ['[x](../outside.md)', 'that is outside the repository'],
    ['[x](node_modules/other/README.md)', 'there is no such file'],
    ['[x]()', 'the link is empty'],
    ['[![image](missing.svg)](README.md)', 'links to missing.svg'],
    ['[x][label]\n\n[label]: missing.md', 'page.md:3 links to missing.md'],
    ['<img alt="" src="missing.png">', 'links to missing.png'],
    ['[x](/missing.md "title")', 'links to /missing.md'],
  ];
  for (const [link, says] of broken) {
    it(`are refused: ${link.replaceAll('\n', ' ')}`, async () => {
      const findings = await findingsOf({ 'page.md': link });
      assert.ok(findings.includes(says), findings);
    });
  }

  it('that lead somewhere pass, and code and comments are not links', async () => {
    assert.equal(await findingsOf({}), '');
  });

  it('to the second heading of the same text get a number', () => {
    assert.deepEqual(
      [...readMarkdown('# A b\n## A b\n<a id="by-hand"></a>').anchors],
      ['a-b', 'a-b-1', 'by-hand'],
    );
  });
});

describe('problem codes', () => {
  const page = 'docs/errors.md';
  it('without a section are found', async () => {
    const findings = await findingsOf({
      [page]: '# Errors\n## `not_found`\n404\n## request_malformed: 400\n',
    });
    assert.equal(
      findings,
      `${page} has no section for the code request_malformed: add a heading that is the code alone.`,
    );
  });
  it('that do not exist are found', async () => {
    const findings = await findingsOf({ [page]: `${sound[page]}## \`gone\`\n410\n## also_gone\n` });
    assert.match(findings, /describes gone, which is no code/);
    assert.match(findings, /describes also_gone, which is no code/);
  });
  it('with two sections are found', async () => {
    assert.match(
      await findingsOf({ [page]: `${sound[page]}## \`not_found\`\n404\n` }),
      /second section for the code not_found/,
    );
  });
  it('with another status are found', async () => {
    const findings = await findingsOf({ [page]: sound[page]?.replace('Status 404', 'Status 4040') ?? '' });
    assert.match(findings, /does not say that not_found has the status 404/);
  });
  it('need the page and the table', async () => {
    assert.match(await findingsOf({ 'README.md': '' }, [page]), /docs\/errors\.md is missing/);
    const table = 'packages/contract/src/problems.ts';
    assert.match(await findingsOf({ 'README.md': '' }, [table]), /problems\.ts is missing/);
    assert.match(
      await findingsOf({ [table]: 'export const other = 1;' }),
      /does not export the table problems/,
    );
    assert.match(await findingsOf({ [table]: 'throw new Error("broken");' }), /cannot be loaded: broken/);
    assert.match(await findingsOf({ [table]: 'export const problems = {};' }), /table of problems is empty/);
  });
});

describe('settings', () => {
  const page = 'docs/operations/settings.md';
  const table = 'packages/server/src/configuration/settings.ts';
  it('that are not explained are found', async () => {
    const findings = await findingsOf({ [page]: '`COUNTERSIGN_PORT` and COUNTERSIGN_DATA_FOLDERS' });
    assert.match(findings, /does not explain the setting COUNTERSIGN_DATA_FOLDER\./);
    assert.match(findings, /names COUNTERSIGN_DATA_FOLDERS, which is no setting/);
  });
  it('that do not exist are found on the other pages for operators too', async () => {
    const findings = await findingsOf({ 'docs/operations/start.md': 'Set COUNTERSIGN_PORTS.' });
    assert.equal(findings, 'docs/operations/start.md names COUNTERSIGN_PORTS, which is no setting.');
  });
  it('may be a table by name', async () => {
    const code = "export const settings = { port: { environment: 'COUNTERSIGN_HTTP_PORT' } };";
    assert.match(await findingsOf({ [table]: code }), /does not explain the setting COUNTERSIGN_HTTP_PORT/);
  });
  it('need the page and the table', async () => {
    assert.match(await findingsOf({}, [page]), /docs\/operations\/settings\.md is missing/);
    assert.match(await findingsOf({}, [table]), /settings\.ts is missing/);
    assert.match(await findingsOf({ [table]: 'export const settings = [];' }), /table of settings is empty/);
  });
});

describe('words that have no place in the repository', () => {
  // Written with a stroke inside, so that this file passes the check.
  const words = [
    'see /w|ork/main',
    'see /r|oot/x',
    'see /tmp/b|rief/x',
    'https://reg|istry.npmjs.org/zod',
    '"resol|ved": "https://example.com/zod.tgz"',
    '// TO|DO: later',
  ].map((word) => word.replace('|', ''));
  for (const word of words) {
    it(`are found: ${word}`, async () => {
      assert.match(
        await findingsOf({ 'packages/cli/src/main.ts': `\n${word}` }),
        /^packages\/cli\/src\/main\.ts:2 says "/,
      );
    });
  }
  it('are not looked for in binary files', async () => {
    assert.equal(await findingsOf({ 'vectors/body.bin': `\0${words[0]}` }), '');
  });
});

describe('blocks of shell for tests', () => {
  it('are read in their order, with their place', () => {
    const blocks = executableBlocks('README.md', readMarkdown(sound['README.md'] ?? ''));
    assert.deepEqual(blocks, [{ path: 'README.md', line: 8, commands: 'echo "[fenced](nowhere.md)"' }]);
  });
  it('are refused when they are empty or no shell', async () => {
    const findings = await findingsOf({
      'page.md': '```sh test\n```\n\n~~~sh name=x test\nif true (\n~~~\n',
    });
    assert.match(findings, /page\.md:2 is a block for tests without commands/);
    assert.match(findings, /page\.md:5 is no valid shell/);
  });
});

describe('the check of the documents', () => {
  it('fails when there is nothing to look at', async () => {
    await withTree({ 'a.txt': '' }, async (root) => {
      const { documentCount, findings } = await checkDocuments(root);
      assert.equal(documentCount, 0);
      assert.match(findings.join('\n'), /looked at nothing/);
    });
  });
});

describe('phrases that nobody would say', () => {
  const planted: readonly (readonly [path: string, text: string, says: string])[] = [
    ['page.md', 'It was\nrefused lately.', 'page.md:2 says "lately": say "recently"'],
    [
      'docs/page.md',
      'The header is\n  not there.',
      'docs/page.md:1 says "is not there": say "is missing, or not found"',
    ],
    [
      'packages/portal/src/messages/en/x.ts',
      "export const x = {\n  label: 'clientId',\n};",
      'x.ts:2 says "clientId"',
    ],
    ['packages/portal/src/messages/en/x.ts', 'export const x = `${1} was refused`;', 'x.ts:1 says "refused"'],
    [
      'packages/server/src/people/identity/mail/x.ts',
      "const text = 'Hello, somebody wrote';",
      'x.ts:1 says "somebody"',
    ],
    [
      'packages/contract/src/x.ts',
      "// A note.\nexport const x = 'It goes on here';",
      'x.ts:2 says "goes on"',
    ],
    ['packages/cli/bin/help.json', '{ "help": "Mend it" }', 'help.json:1 says "Mend": say "fix"'],
  ];
  for (const [path, text, says] of planted) {
    it(`are found with their line and a better word: ${says}`, async () => {
      const findings = await findingsOf({ [path]: text });
      assert.ok(findings.includes(says), findings);
    });
  }

  const allowed: readonly (readonly [path: string, text: string])[] = [
    ['page.md', 'See `clientId`, and\n```\nsomebody\n```\n'],
    ['page.md', 'Everything recommended is amended, lambdas included.'],
    ['packages/contract/src/x.ts', "// somebody\nexport const somebody = 'clientId'; /* anybody */"],
    ['packages/contract/src/x.ts', "export const x = /'somebody'/.test('A word');"],
    ['packages/gate/src/x.ts', "export const x = 'only the log says somebody';"],
  ];
  for (const [path, text] of allowed) {
    it(`are not seen in code, in comments and where nobody reads: ${path}, ${text.slice(0, 30)}`, async () => {
      assert.equal(await findingsOf({ [path]: text }), '');
    });
  }

  it('have no entry twice, and none that suggests what it forbids', () => {
    assert.equal(new Set(unusedPhrases.map(({ phrase }) => phrase)).size, unusedPhrases.length);
    for (const { phrase, say } of unusedPhrases)
      assert.ok(
        !say
          .toLowerCase()
          .split(/,? or |, /)
          .includes(phrase),
        phrase,
      );
  });
});
