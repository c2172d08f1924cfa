import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type CandidateKey, changeKinds, type HopsExplanation, type RequestView } from '@countersign/explain';
import { explainRequestHops } from '@countersign/explain/node';
import { createSigner } from '@countersign/signature/node';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const otherPair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const signer = createSigner({ keyid: 'client_1', privateKey: pair.privateKey });
const created = 1_700_000_000;
const api = 'https://api.example.com';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const keyOf = (spkiPem: string): CandidateKey => ({
  spkiPem,
  fingerprint: 'SHA256:1',
  clientId: 'client_1',
  keyState: 'active',
});
const keys = [keyOf(pair.publicKey)];
/** A day later: the time of a request does not matter here. */
const options = { nowSeconds: created + 86_400 };
let calls = 0;

/** A signed request as its program has it. */
function signedView(target = '/v1/payments?limit=5', body = '{"a":1,"b":[2]}', method = 'POST'): RequestView {
  const url = `${api}${target}${target.includes('?') ? '&' : '?'}n=${calls++}`;
  const signed = signer.sign({ method, url, body }, { created });
  return { name: 'program', method, target: url, headers: Object.entries(signed.headers), body: bytes(body) };
}

/** The same request on the wire. */
function received(sent: RequestView, name = 'service'): RequestView {
  const headers = [['Host', 'api.example.com'] as const, ...sent.headers];
  return { ...sent, name, target: sent.target.slice(api.length), headers };
}

function withHeader(
  view: RequestView,
  name: string,
  change: (value: string) => readonly string[],
): RequestView {
  return {
    ...view,
    headers: view.headers.flatMap(([own, value]) =>
      own.toLowerCase() === name ? change(value).map((one) => [own, one] as const) : [[own, value] as const],
    ),
  };
}

function namesOf({ hops }: HopsExplanation): string[] {
  return hops.flatMap(({ changes }, index) =>
    changes.map(({ part, header, kinds, isSigned }) =>
      [index, isSigned ? '' : 'unsigned', header ?? part, kinds.map(({ code }) => code).join('+')]
        .filter((text) => text !== '')
        .join(' '),
    ),
  );
}

const explained = (views: readonly RequestView[], given = keys): HopsExplanation =>
  explainRequestHops(views, given, options);

describe('from the first wrong hop on: what cannot be told', () => {
  it('one view alone, and a view without a host', () => {
    const sent = signedView();
    assert.throws(() => explained([sent]), RangeError);
    assert.throws(() => explained([{ ...sent, target: '/v1' }, sent]), { name: 'RequestTextError' });
  });

  it('nothing was signed', () => {
    const plain = { ...signedView(), headers: [] };
    const told = explained([plain, { ...plain, target: `${api}/other` }]);
    assert.equal(told.verdict, 'unsigned');
    assert.equal(told.signedView, undefined);
    assert.ok(told.hops[0]!.changes.every(({ isSigned }) => !isSigned));
  });

  it('the program signed something else: no hop is blamed, whatever it changed', () => {
    const sent = signedView();
    const wrong = { ...sent, target: sent.target.replace('limit=5', 'limit=6') };
    const told = explained([wrong, received(wrong), { ...received(wrong), method: 'PUT' }]);
    assert.equal(told.verdict, 'never-valid');
    assert.equal(told.firstWrongHop, undefined);
    assert.equal(told.views[0]!.refusal?.code, 'signature_invalid');
    assert.deepEqual(
      namesOf(told).filter((name) => !name.includes('unsigned')),
      ['1 method method_changed'],
    );
  });

  it('the key is another one: the verdict follows from what is covered, and is not proven', () => {
    const sent = signedView();
    const changed = { ...received(sent), method: 'PUT' };
    for (const given of [[], [keyOf(otherPair.publicKey)]]) {
      const told = explained([sent, changed], given);
      assert.deepEqual([told.verdict, told.isProven, told.firstWrongHop], ['broken', false, 0]);
      const same = explained([sent, received(sent)], given);
      assert.deepEqual([same.verdict, same.isProven], ['intact', false]);
    }
  });
});

describe('from the first wrong hop on: each kind of change', () => {
  type Change = (view: RequestView) => RequestView;
  const target =
    (from: string | RegExp, to: string): Change =>
    (view) => ({ ...view, target: view.target.replace(from, to) });
  const body =
    (text: string | Uint8Array): Change =>
    (view) => ({ ...view, body: typeof text === 'string' ? bytes(text) : text });
  const header =
    (name: string, change: (value: string) => readonly string[]): Change =>
    (view) =>
      withHeader(view, name, change);
  const cases: readonly (readonly [expected: string, change: Change, target?: string, body?: string])[] = [
    ['method method_case', (view) => ({ ...view, method: 'post' })],
    ['method method_changed', (view) => ({ ...view, method: 'PUT' })],
    ['host host_changed', header('host', () => ['10.0.0.5:8080'])],
    ['host port_changed', header('host', () => ['api.example.com:8443'])],
    ['path path_encoded', target('%7E', '~'), '/v1/%7Ejane'],
    ['path path_encoded', target('%2f', '%2F'), '/v1/a%2fb'],
    ['path dot_segments', target('/v1/../v2', '/v2'), '/v1/../v2'],
    ['path path_slashes', target('//', '/'), '/v1//payments'],
    ['path trailing_slash', target('payments/', 'payments'), '/v1/payments/'],
    ['path path_changed', target('/v1', '/api/v1')],
    ['path path_case', target('/V1', '/v1'), '/V1/payments'],
    ['query query_removed', target(/\?.*/, '')],
    ['query query_reordered', target(/\?(b=2)&(a=1)(.*)/, '?$2&$1$3'), '/v1?b=2&a=1'],
    ['query query_encoded', target('%20', '+'), '/v1?q=a%20b'],
    [
      'query query_reordered+query_encoded',
      target(/\?(q=a)%20(b)(.*)&(n=\d+)/, '?$4&$1+$2$3'),
      '/v1?q=a%20b',
    ],
    ['query query_changed', target(/$/, '&source=edge')],
    ['query query_case', target('limit=A', 'limit=a'), '/v1?limit=A'],
    ['Date header_changed', header('date', () => ['Wed, 15 Nov 2023 08:00:00 GMT'])],
    ['Date header_removed', header('date', () => [])],
    ['Date header_repeated', header('date', (value) => [value, value])],
    ['Date header_case', header('date', (value) => [value.toLowerCase()])],
    ['Content-Digest header_removed', header('content-digest', () => [])],
    ['Signature-Input header_spaces', header('signature-input', (value) => [value.replaceAll(';', '; ')])],
    ['Signature-Input header_folded', header('signature-input', (value) => [value.replace(' ', '\r\n ')])],
    ['Signature header_removed', header('signature', () => [])],
    ['body body_removed', body('')],
    ['body body_truncated', body('{"a":1,"b"')],
    ['body body_extended', body('{"a":1,"b":[2]}{}')],
    ['body body_ends', body('{"a":1,"b":[2]}\n')],
    ['body body_json_rewritten', body('{"a": 1, "b": [2]}')],
    ['body body_json_rewritten', body('{"b":[2],"a":1}')],
    ['body body_json_rewritten', body('{"a":1,"b":[3]}')],
    ['body body_mark', body('\ufeff{"a":1,"b":[2]}')],
    ['body body_compressed', body(gzipSync('{"a":1,"b":[2]}'))],
    ['body body_chunked', body('f\r\n{"a":1,"b":[2]}\r\n0\r\n\r\n')],
    ['body body_charset', body(Uint8Array.from(Buffer.from('é', 'latin1'))), '/v1', 'é'],
    ['body body_form_encoded', body('q=a+b'), '/v1', 'q=a%20b'],
    ['body body_line_ends', body('a\nb'), '/v1', 'a\r\nb'],
    ['body body_changed', body('something else'), '/v1', 'a b'],
  ];
  for (const [index, [expected, change, called, text]] of cases.entries()) {
    it(`${index + 1}: ${expected}`, () => {
      const sent = signedView(called, text);
      const [wire, changed] = [received(sent, 'proxy'), change(received(sent))];
      const told = explained([sent, wire, changed]);
      assert.deepEqual([told.verdict, told.isProven, told.firstWrongHop], ['broken', true, 1]);
      assert.deepEqual(
        namesOf(told).filter((name) => !name.includes('unsigned')),
        [`1 ${expected}`],
      );
      assert.deepEqual(
        told.views.map(({ state }) => state),
        ['valid', 'valid', told.views[2]!.state],
      );
      assert.notEqual(told.views[2]!.state, 'valid');
      // The other way round, the first hop did it, and the second changed nothing.
      const early = explained([sent, changed, changed]);
      assert.equal(early.firstWrongHop, 0);
      assert.deepEqual(early.hops[1]!.changes, []);
    });
  }

  it('knows each of them', () => {
    const tried = new Set(cases.flatMap(([expected]) => expected.split(' ').at(-1)!.split('+')));
    // Elsewhere: in the recordings, or in the tests below.
    const elsewhere = ['scheme_changed', 'host_case', 'host_encoded', 'query_added', 'question_mark'];
    const more = ['fragment_removed', 'header_added', 'header_joined', 'header_reordered', 'header_encoded'];
    const ofBodies = ['body_added', 'body_decompressed', 'body_printed'];
    const all = new Set([...tried, ...elsewhere, ...more, ...ofBodies]);
    assert.deepEqual(
      Object.keys(changeKinds).filter((code) => !all.has(code)),
      [],
    );
  });
});

describe('from the first wrong hop on: both sides', () => {
  it('shows the offset, the byte and the text of each side', () => {
    const sent = signedView('/v1/%7Ejane');
    const changed = { ...received(sent), target: received(sent).target.replace('%7E', '~') };
    const [change] = explained([sent, changed]).hops[0]!.changes;
    assert.equal(change!.kinds[0].detail, '%7E became ~');
    assert.match(change!.kinds[0].doneBy, /nginx/);
    const { offset, beforeByte, afterByte, beforeBytes, afterBytes, evidence } = change!.difference!;
    assert.deepEqual([offset, beforeByte, afterByte], [4, 0x25, 0x7e]);
    assert.deepEqual([beforeBytes, afterBytes], [11, 9]);
    assert.deepEqual(evidence, { expected: '/v1/%7Ejane', received: '/v1/~jane', firstDifference: 4 });
  });

  it('shows of a large body what is around the place', () => {
    const text = `${'é'.repeat(100_000)}x${'é'.repeat(100_000)}`;
    const sent = signedView('/v1', text);
    const told = explained([sent, { ...received(sent), body: bytes(text.replace('x', 'y')) }]);
    const { offset, evidence, isExcerpt } = told.hops[0]!.changes.find(
      ({ part }) => part === 'body',
    )!.difference!;
    assert.deepEqual([offset, isExcerpt], [200_000, true]);
    assert.ok(evidence.expected.length < 300 && evidence.expected.startsWith('é'));
    assert.equal(evidence.expected[evidence.firstDifference], 'x');
    assert.equal(evidence.received[evidence.firstDifference], 'y');
  });

  it('shows no value of a header that may be a secret', () => {
    const sent = signedView();
    const wire = received(sent);
    const secret = { ...wire, headers: [...wire.headers, ['Authorization', 'Bearer s3cr3t'] as const] };
    const told = explained([secret, { ...wire, name: 'service' }]);
    assert.deepEqual(namesOf(told), ['0 unsigned Authorization header_removed']);
    assert.doesNotMatch(JSON.stringify(told), /s3cr3t/);
    assert.equal(told.verdict, 'intact');
  });

  it('lists what is not signed after what is, and counts the rest', () => {
    const sent = signedView();
    const wire = received(sent);
    const many = Array.from({ length: 100 }, (_, index) => [`X-${index}`, '1'] as const);
    const told = explained([wire, { ...wire, headers: [...many, ...wire.headers], method: 'PUT' }]);
    const [hop] = told.hops;
    assert.equal(hop!.changes[0]!.part, 'method');
    assert.equal(hop!.changes.length + hop!.moreHeaders, 101);
  });
});

describe('from the first wrong hop on: the views', () => {
  it('a proxy that signs: what comes before is not signed', () => {
    const signed = received(signedView());
    const plain = {
      ...signed,
      name: 'program',
      headers: signed.headers.filter(([name]) => !/^(?:signature|date|content-digest)/i.test(name)),
      method: 'PUT',
    };
    const told = explained([plain, { ...signed, name: 'signing proxy' }, signed]);
    assert.deepEqual([told.verdict, told.signedView, told.firstWrongHop], ['intact', 1, undefined]);
    assert.equal(told.views[0]!.state, 'unsigned');
    assert.deepEqual(
      told.hops.map(({ isAfterSigning }) => isAfterSigning),
      [false, true],
    );
    assert.ok(told.hops[0]!.changes.every(({ isSigned }) => !isSigned));
  });

  it('a change that another hop takes back is no wrong hop', () => {
    const sent = signedView('/v1/%7Ejane');
    const wire = received(sent);
    const decoded = { ...wire, name: 'proxy', target: wire.target.replace('%7E', '~') };
    const told = explained([sent, decoded, wire]);
    assert.deepEqual([told.verdict, told.firstWrongHop], ['intact', undefined]);
    assert.equal(explained([sent, decoded, wire, decoded]).firstWrongHop, 2);
  });

  it('the service’s base URL decides whether another host or path matters', () => {
    const sent = signedView('/api/v1');
    const wire = received(sent);
    const behind = withHeader({ ...wire, target: wire.target.replace('/api', '') }, 'host', () => [
      '10.0.0.5',
    ]);
    assert.equal(explained([sent, behind]).verdict, 'broken');
    const told = explainRequestHops([sent, behind], keys, { ...options, baseUrls: [`${api}/api`] });
    assert.equal(told.verdict, 'intact');
    assert.deepEqual(namesOf(told), ['0 unsigned host host_changed', '0 unsigned path path_changed']);
  });

  it('a view without the body: it is compared with the one before', () => {
    const sent = signedView();
    const wire = { ...received(sent, 'proxy'), body: undefined };
    const told = explained([sent, wire, { ...received(sent), body: bytes('{}') }]);
    const change = told.hops[1]!.changes.find(({ part }) => part === 'body');
    assert.equal(change?.comparedWith, 0);
    assert.deepEqual([told.verdict, told.firstWrongHop], ['broken', 1]);
  });

  it('a program that writes its host in upper case and signs what is sent is right', () => {
    const sent = signedView();
    const upper = { ...sent, target: sent.target.replace('https://api.', 'HTTPS://API.') };
    for (const given of [keys, []]) assert.equal(explained([upper, received(sent)], given).verdict, 'intact');
  });
});

describe('from the first wrong hop on: hostile views', () => {
  const huge = 'a=1&'.repeat(500_000);
  const binary = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256);
  const cases: readonly (readonly [name: string, change: (view: RequestView) => RequestView])[] = [
    ['a huge query', (view) => ({ ...view, target: `/v1?${huge}` })],
    ['a huge path', (view) => ({ ...view, target: `/${'../'.repeat(500_000)}%` })],
    ['no target', (view) => ({ ...view, target: '' })],
    ['a target that is no URL', (view) => ({ ...view, target: 'http://[::/\u0000\ud800' })],
    ['a binary body', (view) => ({ ...view, body: binary })],
    ['a huge body', (view) => ({ ...view, body: new Uint8Array(20_000_000) })],
    ['deep JSON', (view) => ({ ...view, body: bytes('['.repeat(60_000)) })],
    ['a damaged gzip body', (view) => ({ ...view, body: gzipSync('{}').subarray(0, 12) })],
    [
      '100,000 headers',
      (view) => ({
        ...view,
        headers: [...view.headers, ...Array.from({ length: 100_000 }, (_, at) => [`x-${at}`, '1'] as const)],
      }),
    ],
    ['a huge header', (view) => ({ ...view, headers: [...view.headers, ['Date', ' ,'.repeat(500_000)]] })],
    [
      'headers named like members of objects',
      (view) => ({
        ...view,
        headers: [...view.headers, ['__proto__', 'x'], ['constructor', 'y']],
      }),
    ],
    ['a signature of nothing', (view) => withHeader(view, 'signature', () => [''])],
    ['an input of nothing', (view) => withHeader(view, 'signature-input', () => ['sig=(((('])],
  ];
  for (const [name, change] of cases) {
    it(`${name}: told in few searches`, () => {
      const sent = signedView();
      const changed = change(received(sent));
      for (const views of [
        [sent, changed],
        [changed, sent],
      ]) {
        const told = explainRequestHops(views, keys, { ...options, baseUrls: [api] });
        assert.equal(told.hops.length, 1);
        assert.ok(JSON.stringify(told.hops).length < 200_000);
      }
    });
  }
});

describe('what a hop did to the path, in words', () => {
  const cases: readonly (readonly [from: string, to: string, detail: string | undefined])[] = [
    ['/api/v1/payments', '/v1/payments', '/api was removed in front of the path'],
    ['/api//v1/payments', '/v1/payments', '/api/ was removed in front of the path'],
    ['/v1/payments', '/edge/v1/payments', '/edge was added in front of the path'],
    ['/V1/Payments', '/v1/payments', 'put in lower case'],
    ['/v1/a%2FB', '/v1/a%2fb', 'put in lower case'],
    ['/v1/payments', '/V1/Payments', undefined],
    ['//v1/payments', '/v1/payments', undefined],
    ['/v1/../payments', '/payments', undefined],
  ];
  for (const [from, to, detail] of cases) {
    it(`${from} became ${to}`, () => {
      const sent = signedView(from);
      const arrived = received(sent);
      const { hops } = explained([sent, { ...arrived, target: arrived.target.replace(from, to) }]);
      const changes = hops[0]!.changes.filter(({ part }) => part === 'path');
      assert.deepEqual(
        changes.map(({ kinds }) => kinds.map((kind) => kind.detail)),
        [[detail]],
      );
    });
  }
});
