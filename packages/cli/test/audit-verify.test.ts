import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type AuditLine, canonicalJson, chainStart, linkText } from '@countersign/contract/audit-chain';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { type Ended, run } from './run.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns lines as a stream sends them. */
function chain(count: number): AuditLine[] {
  const lines: AuditLine[] = [];
  for (let position = 1; position <= count; position += 1) {
    const record = { eventId: `event_${position}`, after: { name: `Zoë ${position}`, limit: 1.5 } };
    const place = {
      position,
      previousHash: lines.at(-1)?.hash ?? chainStart,
      digest: sha256(canonicalJson(record)),
    };
    lines.push({ source: 'audit', id: record.eventId, ...place, hash: sha256(linkText(place)), record });
  }
  return lines;
}

const text = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

function verify(context: TestContext, content: string, ...options: string[]): Promise<Ended> {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'copy.ndjson'), content);
  return run(['audit', 'verify', 'copy.ndjson', ...options], { folder });
}

/** Returns lines as documents of the Elastic Common Schema, as a stream with that format sends them. */
const inEcs = (lines: readonly object[]): readonly object[] =>
  lines.map((line) => ({ event: { kind: 'event', original: JSON.stringify(line) } }));

describe('countersign audit verify', () => {
  const whole = chain(9);
  const head = whole.at(-1)!.hash;
  const request = { source: 'requests', id: 'request_1', record: {} };
  const without = (position: number): AuditLine[] => whole.filter((line) => line.position !== position);
  const changed = (position: number, change: (line: AuditLine) => AuditLine): AuditLine[] =>
    whole.map((line) => (line.position === position ? change(line) : line));

  const wrong: [string, string, string[], RegExp][] = [
    ['a missing record', text(without(4)), [], /^Position 4 is missing \(line 4\)\.\n$/],
    ['a missing record in ECS', text(inEcs(without(4))), [], /^Position 4 is missing \(line 4\)\.\n$/],
    [
      'a record that comes later',
      text([...without(4), whole[3]!]),
      [],
      /^Position 4 is out of order: it comes later \(line 9\)/,
    ],
    ['a record before the first', text([...whole.slice(3), whole[0]!]), [], /^Position 1 is out of order/],
    [
      'a changed record',
      text(changed(5, (line) => ({ ...line, record: { ...line.record, after: { name: 'Eve' } } }))),
      [],
      /^Position 5 was changed \(line 5\)/,
    ],
    [
      'a changed record with hashes that fit it',
      text(
        changed(5, (line) => {
          const record = { ...line.record, after: null };
          const place = { ...line, digest: sha256(canonicalJson(record)) };
          return { ...place, hash: sha256(linkText(place)), record };
        }),
      ),
      [],
      /^Position 5 was changed \(line 6\)/,
    ],
    ['a changed ID', text(changed(2, (line) => ({ ...line, id: 'event_x' }))), [], /^Position 2 was changed/],
    [
      'a record that occurs again with other content',
      text([
        ...whole,
        { ...whole[1]!, previousHash: head, hash: sha256(linkText({ ...whole[1]!, previousHash: head })) },
      ]),
      [],
      /^Position 2 occurs twice, with different content \(line 10\)/,
    ],
    ['a line that is cut off', text(whole).slice(0, -20), [], /^Line 9 is not a line of a stream\.\n$/],
    ['a line of something else', `${text(whole)}{"source":"mail"}\n`, [], /^Line 10 is not a line/],
    [
      'a beginning that does not follow',
      text(whole.slice(4)),
      ['--from', head],
      /^Position 5 does not follow/,
    ],
    ['a file in which nothing is', '', [], /^There is no record of the audit log\./],
    ['requests alone', text([request]), [], /^There is no record of the audit log\./],
    ['an end that is missing', text(whole.slice(0, 7)), ['--head', head], /^The last record, position 7/],
  ];
  for (const [name, content, options, expected] of wrong) {
    it(`finds ${name}`, async (context) => {
      const { code, out } = await verify(context, content, ...options);
      assert.match(out, expected);
      assert.equal(code, exits.refused.code);
    });
  }

  it('accepts a whole copy, and shows its head', async (context) => {
    const { code, out } = await verify(context, text(whole), '--from', chainStart, '--head', head);
    assert.equal(out, `OK: 9 records, positions 1 to 9.\nHead: ${head}\n`);
    assert.equal(code, 0);
  });

  it('accepts a whole copy in the Elastic Common Schema, and finds a changed line in it', async (context) => {
    const { out } = await verify(context, text([...inEcs(whole), ...inEcs([request])]));
    assert.equal(out, `OK: 9 records, positions 1 to 9.\nHead: ${head}\n`);
    const renamed = text(inEcs(whole)).replace('Zoë 5', 'Eve');
    assert.match((await verify(context, renamed)).out, /^Position 5 was changed \(line 5\)/);
  });

  it('accepts records that were sent again, requests in between, and removed content', async (context) => {
    const { record: _record, ...removed } = whole[2]!;
    const content = [...whole.slice(0, 2), removed, request, ...whole.slice(1, 5), ...whole.slice(4)];
    const { out } = await verify(context, text(content), '--json');
    assert.deepEqual(JSON.parse(out), {
      ok: true,
      records: 9,
      first: 1,
      last: 9,
      head,
      duplicates: 3,
      removed: 1,
    });
  });

  it('checks a part from wherever it begins', async (context) => {
    const { out } = await verify(context, text(whole.slice(4)), '--from', whole[3]!.hash);
    assert.equal(
      out,
      `OK: 5 records, positions 5 to 9.\nHead: ${head}\nNot checked: what was before position 5.\n`,
    );
  });

  it('accepts a part in which nothing happened', async (context) => {
    const { code, out } = await verify(context, '', '--from', head);
    assert.deepEqual([code, out], [0, 'OK: no record of the audit log was added.\n']);
  });

  it('reads standard input, and more records than fit into its first memory', async (context) => {
    const many = chain(2500);
    const folder = temporaryFolder(context);
    const { out } = await run(['audit', 'verify', '-'], { folder, input: text(many) });
    assert.match(out, /^OK: 2500 records, positions 1 to 2500\./);
  });

  it('says what is wrong with the command', async (context) => {
    const { code, errors } = await verify(context, '', '--head', 'abc');
    assert.match(errors, /--head must be a hash/);
    assert.equal(code, exits.usage.code);
    const missing = await run(['audit', 'verify', 'none.ndjson'], { folder: temporaryFolder(context) });
    assert.match(missing.errors, /The copy of the audit log none\.ndjson does not exist\./);
    assert.equal(missing.code, exits.local.code);
  });
});
