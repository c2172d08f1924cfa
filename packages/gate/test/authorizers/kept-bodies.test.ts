import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openProxiedApi } from '@countersign/testing/proxied-api';
import { cannotRun, type Recipe, recipes } from '@countersign/testing/proxy-process';

/** The check of the documents: plain JavaScript, as a reader copies it. */
const check = (await import(
  new URL('../../../../examples/proxies/digest/verified-body.js', import.meta.url).href
)) as { isVerifiedBody(body: Uint8Array, headers: Record<string, string>): boolean };

/** The changes that docs/authorizers.md describes for `digest`. */
const changes: Readonly<Record<string, (text: string) => string>> = {
  nginx: (text) => {
    const changed = text.replace(
      /\n +proxy_pass_request_body off;\n +proxy_set_header Content-Length "";(?=\n\n)/,
      '',
    );
    assert.notEqual(changed, text);
    return changed;
  },
  caddy: (text) => {
    const changed = text.replace(/(copy_headers .*)/, '$1 Countersign-Content-Digest');
    assert.notEqual(changed, text);
    return changed;
  },
};

for (const name of ['nginx', 'caddy'] as const) {
  const recipe: Recipe = recipes[name];
  describe(`bodies that ${name} keeps, left to the API`, { skip: cannotRun(recipe) }, () => {
    test('arrive with the digest that was verified, so that a changed or hidden body is seen', async (t) => {
      const api = await openProxiedApi(t, recipe, { body: 'digest', change: changes[name]! });
      const chunked = [['Transfer-Encoding', 'chunked']] as const;
      const forged = [
        ['Countersign-Content-Digest', 'sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:'],
      ] as const;
      await api.ask('POST', '/right', { body: 'abc' });
      await api.ask('POST', '/chunked', { body: 'abc', sentBody: '3\r\nabc\r\n0\r\n\r\n', headers: chunked });
      await api.ask('GET', '/none', { headers: forged });
      await api.ask('POST', '/changed', {
        body: 'abx',
        sentBody: 'abc',
        headers: [['Content-Length', '3'], ...forged],
      });
      await api.ask('GET', '/hidden', {
        sentBody: '3\r\nabc\r\n0\r\n\r\n',
        headers: [...chunked, ...forged],
      });
      const verified = api.received.map((received) => {
        const headers = {
          'countersign-content-digest': received.values('countersign-content-digest').join(),
        };
        const body = Buffer.from(received.body, 'latin1');
        return `${received.target} ${check.isVerifiedBody(body, headers)}`;
      });
      assert.deepEqual(verified, [
        '/right true',
        '/chunked true',
        '/none true',
        '/changed false',
        '/hidden false',
      ]);
    });
  });
}

test('a request without the header is not verified', () => {
  assert.equal(check.isVerifiedBody(new Uint8Array(0), {}), false);
});
