import assert from 'node:assert/strict';
import { constants, hash, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import type { RefusalCode } from '@countersign/signature';
import { codesOf } from '../../src/index.ts';
import {
  created,
  ecdsa,
  explained,
  keys,
  nowSeconds,
  otherKey,
  type Profiled,
  rsaPss,
  usual,
} from './profiled-request.ts';

interface Mistake {
  readonly title: string;
  readonly of: keyof typeof usual;
  readonly change: (one: Profiled) => Partial<Profiled>;
  readonly expected: readonly string[];
}

const lineOf =
  (identifier: string, value: string) =>
  ({ lines }: Profiled) => ({
    lines: lines.map((line): readonly [string, string] =>
      line[0] === identifier ? [identifier, value] : line,
    ),
  });
const replaced = (from: string | RegExp, to: string) => () => ({
  base: (base: string) => base.replace(from, to),
});
const params = (from: string | RegExp, to: string) => (one: Profiled) => ({
  params: one.params.replace(from, to),
});
const withoutLine =
  (identifier: string) =>
  ({ lines }: Profiled) => ({ lines: lines.filter(([name]) => name !== identifier) });
const body = usual.bank.body;

/** Each is signed wrongly, by code that does not use the library. */
const mistakes: readonly Mistake[] = [
  {
    title: 'the query without its question mark',
    of: 'curl',
    change: lineOf('"@query"', 'state=open&limit=20'),
    expected: ['base_query_mark proven'],
  },
  {
    title: 'the query in another order',
    of: 'curl',
    change: lineOf('"@query"', '?limit=20&state=open'),
    expected: ['url_query_order proven'],
  },
  {
    title: 'the path with the query',
    of: 'curl',
    change: lineOf('"@path"', '/v1/payments?state=open&limit=20'),
    expected: ['base_request_target proven'],
  },
  {
    title: 'the authority with the port',
    of: 'curl',
    change: lineOf('"@authority"', 'api.example.test:443'),
    expected: ['url_host_port proven'],
  },
  {
    title: 'the path behind a prefix that a proxy removes',
    of: 'curl',
    change: lineOf('"@path"', '/v1/payments/'),
    expected: ['url_trailing_slash proven'],
  },
  {
    title: 'the method in lower case',
    of: 'curl',
    change: lineOf('"@method"', 'get'),
    expected: ['method_case proven'],
  },
  {
    title: 'another method',
    of: 'curl',
    change: lineOf('"@method"', 'POST'),
    expected: ['method_other proven'],
  },
  {
    title: 'lines that end with CRLF',
    of: 'curl',
    change: replaced(/\n/g, '\r\n'),
    expected: ['base_crlf proven'],
  },
  {
    title: 'a newline at the end',
    of: 'curl',
    change: () => ({ base: (base) => `${base}\n` }),
    expected: ['base_trailing_newline proven'],
  },
  {
    title: 'a hash in place of the base',
    of: 'curl',
    change: () => ({ sign: (base, key) => sign(undefined, hash('sha512', base, 'buffer'), key) }),
    expected: ['signature_hashed_twice proven'],
  },
  {
    title: 'parameters in another order',
    of: 'curl',
    change: replaced(/;created=(\d+);keyid="([^"]+)";alg="ed25519"$/, ';keyid="$2";alg="ed25519";created=$1'),
    expected: ['base_params_rebuilt proven'],
  },
  {
    title: 'another created',
    of: 'curl',
    change: replaced(`created=${created}`, `created=${created - 1}`),
    expected: ['base_other_created proven'],
  },
  {
    title: 'the key of another client',
    of: 'curl',
    change: () => ({ key: otherKey }),
    expected: ['key_of_other_client proven', 'keyid_of_other_client proven'],
  },
  {
    title: 'another label',
    of: 'curl',
    change: () => ({ label: 'sig' }),
    expected: ['profile_selection observed'],
  },
  {
    title: 'no alg, which curl always sends',
    of: 'curl',
    change: params(/;alg=.*/, ''),
    expected: ['parameter_missing observed'],
  },
  {
    title: 'a nonce, which the profile does not have',
    of: 'curl',
    change: params(/$/, ';nonce="x"'),
    expected: ['parameter_unknown observed'],
  },
  {
    title: 'the query left open',
    of: 'curl',
    change: withoutLine('"@query"'),
    expected: ['base_missing_component observed'],
  },
  {
    title: 'made too early',
    of: 'curl',
    change: params(String(created), String(nowSeconds - 400)),
    expected: ['clock_off observed'],
  },
  {
    title: 'URL-safe Base64',
    of: 'curl',
    change: () => ({ write: (signature) => `:${signature.toString('base64url')}:` }),
    expected: ['signature_base64url observed'],
  },

  {
    title: 'the member with its key',
    of: 'agent',
    change: lineOf('"signature-agent";key="agent"', 'agent="https://agent.example.test/keys"'),
    expected: ['base_member_value proven'],
  },
  {
    title: 'the member without its quotes',
    of: 'agent',
    change: lineOf('"signature-agent";key="agent"', 'https://agent.example.test/keys'),
    expected: ['base_member_value proven'],
  },
  {
    title: 'the identifier without its parameter',
    of: 'agent',
    change: replaced('"signature-agent";key="agent": ', '"signature-agent": '),
    expected: ['base_component_parameters proven'],
  },
  {
    title: 'the whole URL as the authority',
    of: 'agent',
    change: lineOf('"@authority"', 'https://shop.example.test'),
    expected: ['url_other_host proven'],
  },
  {
    title: 'no tag',
    of: 'agent',
    change: params(/;tag=.*/, ''),
    expected: ['profile_selection observed', 'parameter_missing observed'],
  },
  {
    title: 'no expires',
    of: 'agent',
    change: params(/;expires=\d+/, ''),
    expected: ['parameter_missing observed'],
  },
  {
    title: 'expired',
    of: 'agent',
    change: params(/expires=\d+/, `expires=${created + 1}`),
    expected: ['clock_expires observed'],
  },
  {
    title: 'a life of more than a day',
    of: 'agent',
    change: params(/expires=\d+/, `expires=${created + 90_000}`),
    expected: ['parameter_form observed'],
  },
  {
    title: 'Signature-Agent of an older draft',
    of: 'agent',
    change: ({ headers, lines }) => ({
      headers: [headers[0]!, ['Signature-Agent', '"https://agent.example.test"']],
      lines: [lines[0]!, ['"signature-agent"', '"https://agent.example.test"']],
    }),
    expected: ['profile_other observed', 'base_missing_component observed'],
  },
  {
    title: 'Signature-Agent removed on the way',
    of: 'agent',
    change: () => ({ sent: (headers) => headers.filter(([name]) => name !== 'Signature-Agent') }),
    expected: ['base_component_absent observed'],
  },
  {
    title: 'six parameters by name',
    of: 'agent',
    change: () => ({
      base: (base) =>
        base.replace(/(;\w+=(?:\d+|"[^"]*"))+$/, (text) =>
          text
            .match(/;\w+=(?:\d+|"[^"]*")/g)!
            .toSorted()
            .join(''),
        ),
    }),
    expected: ['base_params_rebuilt proven'],
  },

  {
    title: 'an http URL behind TLS',
    of: 'bank',
    change: lineOf('"@target-uri"', 'http://bank.example.test/payments'),
    expected: ['url_scheme proven'],
  },
  {
    title: 'the token without its scheme',
    of: 'bank',
    change: lineOf('"authorization"', 'bearer at-1234'),
    expected: ['base_value_case proven'],
  },
  {
    title: 'DER',
    of: 'bank',
    change: () => ({ sign: (base, key) => sign('sha256', base, key) }),
    expected: ['signature_der observed'],
  },
  {
    title: 'SHA-384 with a P-256 key',
    of: 'bank',
    change: () => ({ sign: ecdsa('sha384') }),
    expected: ['signature_other_hash proven'],
  },
  {
    title: 'a hash in place of the base, hashed again',
    of: 'bank',
    change: () => ({ sign: (base, key) => ecdsa('sha256')(hash('sha256', base, 'buffer'), key) }),
    expected: ['signature_hashed_twice proven'],
  },
  {
    title: 'another body than the one that arrived',
    of: 'bank',
    change: () => ({ body: Buffer.from('{"reference": "a/b", "amount": 1250}') }),
    expected: ['body_json_separators proven'],
  },
  {
    title: 'the body left open',
    of: 'bank',
    change: withoutLine('"content-digest"'),
    expected: ['digest_not_covered observed'],
  },
  {
    title: 'a key that the profile does not sign with',
    of: 'bank',
    change: (one) => ({
      key: keys.p384,
      sign: ecdsa('sha384'),
      params: one.params.replace('p256-sha256', 'p384-sha384'),
    }),
    expected: ['algorithm_other observed'],
  },
  {
    title: 'the digest in hex',
    of: 'bank',
    change: lineOf('"content-digest"', hash('sha256', body, 'hex')),
    expected: ['digest_hex proven'],
  },

  {
    title: 'PKCS #1 v1.5 in place of PSS',
    of: 'bankByPss',
    change: () => ({ sign: (base, key) => sign('sha256', base, key) }),
    expected: ['signature_pkcs1 proven'],
  },
  {
    title: 'PSS with the longest salt',
    of: 'bankByPss',
    change: () => ({ sign: rsaPss('sha256', 222) }),
    expected: ['signature_pss_form proven'],
  },
  {
    title: 'PSS with SHA-512',
    of: 'bankByPss',
    change: () => ({ sign: rsaPss('sha512', 64) }),
    expected: ['signature_pss_form proven'],
  },

  {
    title: 'a host of a forwarding proxy',
    of: 'social',
    change: (one) => ({
      ...lineOf('"@target-uri"', 'https://www.social.example.test/inbox')(one),
      headers: [...one.headers, ['X-Forwarded-Host', 'www.social.example.test']],
    }),
    expected: ['url_other_host proven'],
  },
  {
    title: 'PSS in place of PKCS#1',
    of: 'social',
    change: () => ({
      sign: (base, key) =>
        sign('sha256', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    }),
    expected: ['signature_pss proven'],
  },
  {
    title: 'SHA-1',
    of: 'social',
    change: () => ({ sign: (base, key) => sign('sha1', base, key) }),
    expected: ['signature_sha1 proven'],
  },
  {
    title: 'names without quotes and CRLF',
    of: 'social',
    change: () => ({ base: (base) => base.replace(/^"([^"]+)":/gm, '$1:').replaceAll('\n', '\r\n') }),
    expected: ['base_unquoted_names proven', 'base_crlf proven'],
  },
  {
    title: 'the old draft in its own header',
    of: 'social',
    change: () => ({ sent: (headers) => headers.filter(([name]) => !name.startsWith('Signature')) }),
    expected: ['header_missing observed', 'header_missing observed'],
  },
];

describe('explanations of requests by other profiles', () => {
  for (const [name, one] of Object.entries(usual))
    test(`${name}: a right request has no findings`, () => {
      const { verdict, findings, checks, base } = explained(one);
      assert.deepEqual({ verdict, findings }, { verdict: 'valid', findings: [] });
      assert.ok(
        checks.every(({ state }) => state === 'passed'),
        JSON.stringify(checks),
      );
      assert.ok(base?.includes('"@signature-params": ('));
    });

  test('what a service requires beyond the profile is likely, if nothing else is wrong', () => {
    const found = (refusedWith: RefusalCode) =>
      explained(usual.agent, { refusedWith }).findings.map(({ code, certainty }) => `${code} ${certainty}`);
    assert.deepEqual(found('components_invalid'), ['profile_left_open likely']);
    assert.deepEqual(found('directory_mismatch'), ['profile_agent likely']);
  });

  for (const { title, of, change, expected } of mistakes)
    test(`${of}: ${title}`, () => {
      const one = { ...usual[of], ...change(usual[of]) };
      const { findings, verdict, checks } = explained(one);
      const names = findings.flatMap((found) => codesOf(found).map((code) => `${code} ${found.certainty}`));
      assert.deepEqual(names.toSorted(), [...expected].toSorted(), JSON.stringify(findings, null, 1));
      assert.equal(verdict, 'refused');
      assert.ok(checks.some(({ state }) => state === 'failed'));
    });
});
