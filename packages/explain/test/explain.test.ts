import assert from 'node:assert/strict';
import { hash, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { findings } from '../src/index.ts';
import {
  contentDigest,
  created,
  date,
  explained,
  jsonBody,
  makeRequest,
  namesOf,
  nowSeconds,
  otherKey,
  ownKey,
  paramsWithoutBody,
  strangerKey,
  uri,
  usualParams,
} from './mistaken-request.ts';
import { mistakes, replaced } from './mistakes.ts';

const empty = Buffer.alloc(0);
describe('explain', () => {
  for (const [group, ofGroup] of Object.entries(mistakes)) {
    describe(group, () => {
      for (const { title, change, expected, options } of ofGroup) {
        test(title, () => {
          const explanation = explained(makeRequest(change), options);
          assert.deepEqual(namesOf(explanation).toSorted(), [...expected].toSorted());
          assert.equal(explanation.verdict, 'refused');
        });
      }
    });
  }

  test('a right request has no findings, with a body and without', () => {
    for (const request of [
      makeRequest(),
      makeRequest({ body: empty }),
      { ...makeRequest(), body: undefined },
    ]) {
      const { verdict, findings: found, hypotheses, checks } = explained(request);
      assert.deepEqual({ verdict, found, hypotheses }, { verdict: 'valid', found: [], hypotheses: 0 });
      assert.ok(checks.every(({ state }) => state !== 'failed'));
    }
  });

  test('a right request that was used before', () => {
    const explanation = explained(makeRequest(), { refusedWith: 'signature_replayed' });
    assert.deepEqual(namesOf(explanation), ['request_replayed observed']);
    assert.equal(explanation.base, undefined);
  });

  test('no base to sign if the request does not tell who calls, or which body was meant', () => {
    const unknown = { params: usualParams.replace(ownKey.candidate.clientId, 'shop'), key: strangerKey };
    assert.equal(explained(makeRequest(unknown)).base, undefined);
    assert.equal(explained({ ...makeRequest(), body: empty }).base, undefined);
    const printed = { body: Buffer.from('map[amount:1250]'), digest: contentDigest(jsonBody) };
    assert.equal(explained(makeRequest(printed)).base, undefined);
    const twice = { body: Buffer.from(JSON.stringify(jsonBody)), digest: contentDigest(jsonBody) };
    assert.equal(explained(makeRequest(twice)).base, undefined);
  });

  test('one finding for a key and a keyid that do not belong together, with both ways out', () => {
    const { findings: found } = explained(makeRequest({ key: otherKey }));
    assert.deepEqual(
      found.map(({ code, alsoCodes, what, mend }) => ({ code, alsoCodes, what, mend })),
      [
        {
          code: 'key_of_other_client',
          alsoCodes: ['keyid_of_other_client'],
          what: `You signed with the key of Back office (client_01kother), ${otherKey.candidate.fingerprint}, but keyid says client_01kown.`,
          mend: 'Load the private key of client_01kown, or, to call as Back office, set keyid to client_01kother.',
        },
      ],
    );
  });

  test('the old Authorization header', () => {
    const base = `(request-target): get /v1/payments?state=open&limit=20&ref=a%20b\ndate: ${date}`;
    const signature = sign('sha256', Buffer.from(base), ownKey.privateKey).toString('base64');
    const value = `Signature keyId="client_01kown",algorithm="rsa-sha256",headers="(request-target) date",signature="${signature}"`;
    const request = makeRequest({
      body: empty,
      headers: () => [
        ['Date', date],
        ['Authorization', value],
      ],
    });
    assert.deepEqual(namesOf(explained(request)), ['cavage_authorization observed', 'base_cavage proven']);
  });

  test('a user in the signed URL is found, and the password is not told', () => {
    const rows = [
      ['https://…@api.', (text: string) => text, ''],
      ['//…@api.', (text: string) => text.replace('https:', ''), ', url_path_only proven'],
    ] as const;
    for (const [shown, change, more] of rows) {
      const request = makeRequest({
        base: (base) => change(base.replace('https://', 'https://jane:s3cret@')),
        headers: (lines) => [...lines, ['Authorization', `Basic ${btoa('jane:s3cret')}`]],
      });
      const explanation = explained(request);
      const { findings: found } = explanation;
      const expected = `url_other_host proven${more}`.split(', ');
      assert.deepEqual(namesOf(explanation).toSorted(), expected.toSorted());
      for (const { evidence } of found) assert.ok(evidence?.received.includes(shown));
      assert.doesNotMatch(JSON.stringify(found), /jane|s3cret/);
    }
  });

  test('the evidence names line and place', () => {
    const [found] = explained(makeRequest(replaced('https', 'http'))).findings;
    assert.deepEqual(found?.evidence, {
      expected: `"@target-uri": ${uri}`,
      received: `"@target-uri": ${uri.replace('https', 'http')}`,
      firstDifference: 19,
    });
    assert.equal(found?.page, '/docs/troubleshooting#url_scheme');
  });

  test('the text of the body is in the evidence, unless it must not be kept', () => {
    const request = makeRequest({ digest: contentDigest(`${jsonBody}\n`) });
    const evidenceOf = (omitBodyText: boolean) => explained(request, { omitBodyText }).findings[0]?.evidence;
    assert.deepEqual(evidenceOf(false), {
      expected: jsonBody,
      received: `${jsonBody}\n`,
      firstDifference: jsonBody.length,
    });
    assert.equal(evidenceOf(true), undefined);
  });

  test('so is a body that was signed in place of the base', () => {
    const request = makeRequest({ base: () => jsonBody });
    const evidenceOf = (omitBodyText: boolean) => explained(request, { omitBodyText }).findings[0]?.evidence;
    assert.equal(evidenceOf(false)?.received, jsonBody);
    assert.equal(evidenceOf(true), undefined);
  });

  test('the base that the caller claims', () => {
    const request = makeRequest({ base: () => 'something else' });
    const claimed = explained(request, { claimedBase: 'something else' });
    assert.deepEqual(namesOf(claimed), ['base_differs proven']);
    const other = explained(request, { claimedBase: 'yet something else' });
    assert.deepEqual(namesOf(other), ['base_claimed_not_signed observed', 'base_unrecognised likely']);
    const unknownKey = makeRequest({ key: strangerKey, base: (base) => base.replace('https', 'http') });
    const { base } = explained(unknownKey);
    const names = namesOf(explained(unknownKey, { claimedBase: base!.replace('https', 'http') }));
    assert.deepEqual(names, ['url_scheme likely', 'key_unknown likely']);
  });

  test('a claimed base that was hashed or encoded before it was signed is what was signed', () => {
    let signedBase = '';
    const sha256 = (text: string): string => hash('sha256', text, 'hex');
    const request = makeRequest({
      base: (base) => (signedBase = base),
      sign: (base, key) => sign('sha256', Buffer.from(sha256(base.toString())), key),
    });
    const right = explained(request, { claimedBase: signedBase });
    assert.deepEqual(namesOf(right), ['signature_of_hex_hash proven']);
    const unknown = makeRequest({ sign: (_, key) => sign('sha256', Buffer.from(sha256('mine\nown')), key) });
    const own = explained(unknown, { claimedBase: 'mine\nown' });
    assert.deepEqual(namesOf(own), ['signature_of_hex_hash proven', 'base_differs proven']);
  });

  test('a claimed base that nothing explains is told by the line where it differs', () => {
    const change = (base: string): string =>
      base.replace('"@target-uri": ', '"@target-uri": <').toUpperCase();
    let signedBase = '';
    const request = makeRequest({ base: (base) => (signedBase = change(base).replace('POST', 'PoST')) });
    const [found] = explained(request, { claimedBase: signedBase }).findings;
    assert.equal(found?.code, 'base_differs');
    assert.match(found.what, /: line 1 is ".*PoST", and should be ".*@method.*POST"\.$/);
    assert.ok(found.evidence!.firstDifference > 0);
  });

  test('what is explained by one mistake is not called another', () => {
    const late = created + 3600;
    const params = usualParams.replace(String(created), String(late));
    assert.deepEqual(namesOf(explained(makeRequest({ params }))), ['clock_time_zone likely']);
    const cut = makeRequest({ write: (signature) => `sig=:${signature.toString('base64').slice(0, 255)}:` });
    assert.deepEqual(namesOf(explained(cut)), ['signature_truncated observed']);
    for (const missing of ['Signature-Input', 'Date']) {
      const request = makeRequest({ headers: (lines) => lines.filter(([name]) => name !== missing) });
      assert.ok(!namesOf(explained(request)).includes('base_unrecognised likely'), missing);
    }
  });

  test('a header that was cut on the way is not called signed otherwise', () => {
    for (const cut of [10, 20, 24, 30]) {
      const request = makeRequest({
        headers: (lines) =>
          lines.map(([name, value]) => [name, name === 'Signature-Input' ? value.slice(0, -cut) : value]),
      });
      const codes = explained(request).findings.map(({ code }) => code);
      assert.ok(codes.includes('signature_input_format'), codes.join());
      assert.deepEqual(
        codes.filter((code) => /^(?:base_|algorithm_|key_)/.test(code)),
        [],
        `cut by ${cut}`,
      );
    }
    const two = makeRequest({
      ...replaced('https', 'http'),
      headers: (lines) =>
        lines.map(([name, value]) => [name, name === 'Signature-Input' ? value.slice(0, -10) : value]),
    });
    assert.ok(namesOf(explained(two)).includes('url_scheme proven'));
  });

  test('what was hashed for a Content-Digest that did not arrive', () => {
    const lost = (digest: string) =>
      namesOf(
        explained(
          makeRequest({ digest, headers: (lines) => lines.filter(([name]) => name !== 'Content-Digest') }),
        ),
      );
    assert.deepEqual(lost(contentDigest(jsonBody)), ['header_stripped proven', 'header_missing proven']);
    assert.deepEqual(lost(contentDigest(JSON.stringify(JSON.parse(jsonBody), null, 2))), [
      'header_stripped proven',
      'header_missing proven',
      'body_json_whitespace proven',
    ]);
    assert.deepEqual(lost(contentDigest('')), [
      'header_stripped proven',
      'header_missing proven',
      'body_empty proven',
    ]);
  });

  test('a date with a month that a header cannot hold', () => {
    const month = date.replace(/ (\w)\w(\w) /, ' $1ä$2 ');
    const request = makeRequest({
      date: month.replace('ä', '?'),
      base: (base) => base.replace(month.replace('ä', '?'), month),
    });
    assert.deepEqual(namesOf(explained(request)), ['date_format proven']);
  });

  test('each check has its state', () => {
    const { checks } = explained(makeRequest({ params: paramsWithoutBody, body: empty, key: strangerKey }));
    assert.deepEqual(
      checks.map(({ name, state }) => `${name} ${state}`),
      [
        'framing passed',
        'presence passed',
        'syntax passed',
        'parameters passed',
        'algorithm passed',
        'components passed',
        'time passed',
        'signature failed',
        'body not-reached',
      ],
    );
  });

  test('the texts are sentences without their full stop', () => {
    for (const [code, { title, cause, mend }] of Object.entries(findings)) {
      for (const text of [title, cause, mend]) assert.match(text, /^\S.*[^.\s]$/s, code);
    }
    assert.ok(nowSeconds > created);
  });
});
