import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readerFolder, root } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';
import { tables } from './tables.ts';

const path = 'packages/upstream/README.md';

describe(path, () => {
  const { folder, remove } = readerFolder();
  after(remove);

  it('has an example that refuses a request of which nothing is proved', async () => {
    const [example, ...others] = testBlocks(path);
    const { exitCode, output, errors } = await runBlock(example!, folder);
    assert.equal(exitCode, 0, errors);
    assert.equal(output, 'refused: signature_missing\n');
    assert.deepEqual(others, []);
  });

  it('has every code and every option of both checks', () => {
    const [codes, settings, webhookCodes, webhookSettings] = tables(readDocument(path).text).map(({ rows }) =>
      rows.flatMap(([names = '']) => names.replaceAll('`', '').split(', ')).toSorted(),
    );
    assert.deepEqual(codes, codesIn('refusal.ts'));
    assert.deepEqual(settings, optionsIn('forwarded-check.ts', 'ForwardedCheckOptions'));
    assert.deepEqual(webhookCodes, codesIn('webhook-refusal.ts'));
    assert.deepEqual(webhookSettings, optionsIn('webhook-check.ts', 'WebhookCheckOptions'));
  });
});

function textOf(file: string): string {
  return readFileSync(join(root, 'packages/upstream/src', file), 'utf8');
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name!).toSorted();
}

function codesIn(file: string): string[] {
  return namesIn(textOf(file), /^ {2}\| '([a-z_]+)'/gm);
}

function optionsIn(file: string, name: string): string[] {
  const [, options = ''] = new RegExp(`interface ${name} \\{([^]*?)\\n\\}`).exec(textOf(file)) ?? [];
  return namesIn(options, /readonly (\w+)\??:/g);
}
