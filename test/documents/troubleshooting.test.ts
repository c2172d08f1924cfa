import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findings } from '@countersign/explain';
import { troubleshootingDocument } from '../../tools/documents/troubleshooting.ts';
import { readDocument } from './run-block.ts';
import { codesIn, section } from './tables.ts';

const { text, markdown } = readDocument('docs/troubleshooting.md');

describe('docs/troubleshooting.md', () => {
  it('is what the tables say', () => {
    assert.equal(text, troubleshootingDocument(), 'npm run docs:troubleshooting writes it');
  });

  it('has every finding, and no other, each once', () => {
    const headings = markdown.headings
      .map((heading) => heading.text)
      .filter((heading) => heading.includes('_'));
    assert.deepEqual(headings.toSorted(), Object.keys(findings).toSorted());
    assert.deepEqual(
      codesIn(text).filter((code) => !Object.hasOwn(findings, code)),
      [],
    );
  });

  it('says of each finding the cause of the table, an example and what to do', () => {
    for (const [code, { cause, mend }] of Object.entries(findings)) {
      const told = section(text, `\`${code}\``);
      assert.ok(told.includes(`\n\n${cause}.\n`), code);
      assert.ok(told.endsWith(`\n- Fix: ${mend}.\n`), told);
      assert.match(told, /\n- Example: .+`.+`; .+`.+`\n/, code);
      const [, right, wrong] = /\n- Example: [^`]*(`+.+?`+); [^`]*(`+.+?`+)\n/.exec(told) ?? [];
      assert.notEqual(right, wrong, code);
    }
  });

  it('shows how to do it right in at least two languages wherever code decides it', () => {
    for (const title of ['URL', 'Method', 'Body', 'Content-Digest', 'Signature base', 'Signature', 'Time']) {
      const languages = new Set([...section(text, title).matchAll(/^```(\w+)$/gm)].map((match) => match[1]));
      assert.ok(languages.size >= 2, title);
    }
  });
});
