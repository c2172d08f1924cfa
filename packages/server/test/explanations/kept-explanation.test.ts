import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestExplanation } from '@countersign/contract';
import type { Explanation } from '@countersign/explain';
import {
  explainableHeaders,
  keptExplanation,
  secretValues,
  type UnkeptParts,
} from '../../src/explanations/kept-explanation.ts';

const nothing: UnkeptParts = { query: '', shownValuesOf: new Set(), secrets: [], signatures: [] };

function explanation(expected: string, received: string, count = 1): Explanation {
  return {
    verdict: 'refused',
    checks: [{ name: 'signature', state: 'failed', facts: { received, bytes: 256 } }],
    base: expected,
    findings: Array.from({ length: count }, () => ({
      code: 'url_query_order',
      certainty: 'proven',
      what: `The query parameters were signed in a different order than they were sent: ${received}.`,
      mend: 'Sign the query exactly as it is sent. If your HTTP library sorts it, sign the URL of the finished request.',
      evidence: { expected, received, firstDifference: 0 },
      page: '/docs/troubleshooting#url_query_order',
    })),
    isComplete: true,
    hypotheses: 1,
  };
}

function keep(one: Explanation, unkept: Partial<UnkeptParts> = {}): RequestExplanation {
  return JSON.parse(keptExplanation(one, { ...nothing, ...unkept })) as RequestExplanation;
}

describe('an explanation that is kept', () => {
  test('has no value of the query, in whatever encoding, except those that the operator names', () => {
    const query = 'name=J%C3%BCrgen+Doe&limit=7&id=ab&secret%20value&mail=a%40b.de';
    const forms = [
      `https://a.test/?${query}`,
      'https://a.test/?id=ab&limit=7&mail=a@b.de&name=Jürgen Doe&secret value',
      'https://a.test/?name=J%c3%bcrgen%20Doe&mail=a%40B.DE&secret+value',
      'name J%C3%BCrgen Doe, mail A%40B.DE, secret value',
    ];
    for (const received of forms) {
      const text = JSON.stringify(
        keep(explanation(`https://a.test/?${query}`, received), { query, shownValuesOf: new Set(['limit']) }),
      );
      for (const value of ['rgen', 'Doe', 'id=ab', 'secret', 'b.de', 'B.DE', '%40'])
        assert.equal(text.includes(value), false, `${value} in ${text}`);
    }
    const kept = keep(explanation(forms[0]!, forms[1]!), { query, shownValuesOf: new Set(['limit']) });
    const { evidence } = kept.findings[0]!;
    assert.equal(evidence?.received.startsWith('https://a.test/?id=*&limit=7&mail=*&name=*'), true);
    assert.equal(evidence.firstDifference, 'https://a.test/?'.length);
  });

  test('has no signature of any algorithm, wherever the caller wrote it', () => {
    for (const bytes of [64, 256]) {
      const signature = Buffer.alloc(bytes, 0xa7).toString('base64');
      const text = JSON.stringify(keep(explanation('a date', `Date: sig=:${signature}:`)));
      assert.equal(text.includes(signature.slice(0, 40)), false);
    }
    const digest = Buffer.alloc(32, 0xa7).toString('base64');
    assert.ok(JSON.stringify(keep(explanation('a digest', `sha-256=:${digest}:`))).includes(digest));
  });

  test('has no text with values where there are too many of them', () => {
    const query = Array.from({ length: 50 }, (_, index) => `a=value-${index}`).join('&');
    const kept = keep(explanation(`/?${query}`, `/?${query}&`), { query });
    assert.equal(JSON.stringify(kept).includes('value-'), false);
    assert.equal(kept.findings[0]?.code, 'url_query_order');
  });

  test('keeps its general sentences whatever the query is', () => {
    const kept = keep(explanation('a', 'b'), { query: 'x=the&y=query&z=sent' });
    assert.equal(
      kept.findings[0]?.mend,
      'Sign the query exactly as it is sent. If your HTTP library sorts it, sign the URL of the finished request.',
    );
    assert.match(
      kept.findings[0].what,
      /^The query parameters were signed in a different order than they were sent/,
    );
  });

  test('has no evidence where the texts differ only in what is not kept', () => {
    const kept = keep(explanation('/?a=hidden', '/?a=HIDDEN'), { query: 'a=hidden' });
    assert.equal(kept.findings[0]?.evidence, undefined);
  });

  test('has neither the base nor the signature, whole or in lines', () => {
    const signature = Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 37) % 251)).toString(
      'base64',
    );
    const lines = signature.match(/.{1,64}/g)!.join('\n');
    const kept = keep(explanation(signature, lines), {
      signatures: [`sig=:${lines.replaceAll('\n', ' ')}:`],
    });
    assert.equal(kept.base, undefined);
    const text = JSON.stringify(kept);
    for (let start = 0; start + 64 <= signature.length; start += 64)
      assert.equal(text.includes(signature.slice(start, start + 40)), false);
    const digest = 'sha-256=:Xp6MzHqc21HKuX3MyebPiePltv7I8Yj44UJteKFisQI=:';
    assert.ok(JSON.stringify(keep(explanation(digest, 'other'))).includes(digest));
  });

  test('is bounded, however much there is: evidence goes first, then findings', () => {
    const long = 'ä'.repeat(100_000);
    const text = keptExplanation(explanation(`${long}x`, `${long}y`, 1000), nothing);
    assert.ok(Buffer.byteLength(text) <= 16 * 1024, String(text.length));
    const kept = JSON.parse(text) as RequestExplanation;
    assert.equal(kept.isComplete, false);
    const { evidence } = keep(explanation(`${'ä'.repeat(5000)}x`, `${'ä'.repeat(5000)}y`)).findings[0]!;
    assert.equal(evidence?.expected[evidence.firstDifference], 'x');
    assert.equal(evidence.received[evidence.firstDifference], 'y');
  });

  test('headers that may be secret are not looked at', () => {
    const raw = ['Host', 'a', 'Cookie', 'x', 'X-Api-Key', 'x', 'authorization', 'Bearer x', 'Set-Token', 'x'];
    const old = ['Authorization', 'Signature keyId="a"', 'Date', 'd'];
    assert.deepEqual(explainableHeaders([...raw, ...old], true), [
      ['Host', 'a'],
      ['Authorization', 'Signature keyId="a"'],
      ['Date', 'd'],
    ]);
  });

  test('a secret that a signature covers is looked at, and never kept', () => {
    const raw = [
      'Host',
      'a',
      'Cookie',
      'session=x',
      'Authorization',
      'Bearer at-123456',
      'Signature-Input',
      'sig=("@method" "authorization");created=1',
    ];
    const names = explainableHeaders(raw, false).map(([name]) => name);
    assert.deepEqual(names, ['Host', 'Authorization', 'Signature-Input']);
    const base = '"authorization": Bearer at-123456';
    const kept = keep(explanation(base, base.toLowerCase().replace('bearer ', '')), {
      secrets: secretValues(raw),
    });
    assert.doesNotMatch(JSON.stringify(kept), /at-123456|123456/i);
  });
});
