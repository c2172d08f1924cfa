import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { baseUrl } from '@countersign/testing/running-service';
import { peopleEndpoints } from '../../src/people/identity/endpoints/endpoints.ts';
import { assertRefused, type Browser } from './browser.ts';
import { openPeopleScene, type PeopleScene } from './people-scene.ts';

/* Requests that other sites and programs can make a browser send. */

const changing = peopleEndpoints.filter(({ method }) => method !== 'GET');
const reading = peopleEndpoints.filter(
  ({ method, isReachedFromElsewhere }) => method === 'GET' && isReachedFromElsewhere !== true,
);
const pathOf = (path: string): string => path.replace('{id}', 'session_00000000000000000000000000');

describe('requests below /portal/auth/', () => {
  let scene: PeopleScene;
  let browser: Browser;
  before(async () => {
    // No request becomes free again while a test sends many.
    scene = await openPeopleScene({ monotonicMs: () => 0 });
    browser = await scene.signedIn(await scene.addPerson());
  });
  after(() => scene.close());

  const wrong: Record<string, Record<string, string>> = {
    'another site': { 'Sec-Fetch-Site': 'cross-site' },
    'another host of the same site': { 'Sec-Fetch-Site': 'same-site' },
    'an address that was typed': { 'Sec-Fetch-Site': 'none' },
    'another origin': { Origin: 'https://evil.example' },
    'an origin that only begins alike': { Origin: `${baseUrl}.evil.example` },
    'the same host without TLS': { Origin: baseUrl.replace('https', 'http') },
    'a page without an origin': { Origin: 'null' },
    'a page that cannot set the header': { 'Countersign-CSRF': '' },
    'a wrong header': { 'Countersign-CSRF': '2' },
  };
  for (const { method, path } of changing) {
    test(`${method} ${path}: refused from everywhere else`, async () => {
      const cookies = browser.cookieHeader();
      for (const [what, headers] of Object.entries(wrong)) {
        const answer = await browser.request(method, pathOf(path), {}, headers);
        assertRefused(answer, 403, 'cross_site_request');
        assert.equal(browser.cookieHeader(), cookies, what);
      }
    });
  }

  test('without any word of where it comes from nothing is changed', async () => {
    const headers = { 'Content-Type': 'application/json', Cookie: browser.cookieHeader() };
    const answer = await scene.running.send({
      method: 'POST',
      url: '/portal/auth/sign-out',
      headers,
      body: '{}',
    });
    assertRefused(answer, 403, 'cross_site_request');
    assert.equal((await browser.state())['state'], 'signed-in');
  });

  for (const { path } of reading) {
    test(`GET ${path}: refused to other sites`, async () => {
      for (const site of ['cross-site', 'same-site'])
        assertRefused(await browser.get(path, { 'Sec-Fetch-Site': site }), 403, 'cross_site_request');
    });
  }

  test('no answer lets another site read it', async () => {
    const answer = await browser.get('state');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const preflight = await browser.request('OPTIONS', 'sign-in', undefined, {
      Origin: 'https://evil.example',
    });
    assert.equal(preflight.headers['access-control-allow-origin'], undefined);
    assert.equal(preflight.status, 405);
  });

  test('every endpoint but those of a sign-in needs a session', async () => {
    const free = peopleEndpoints.filter(({ needs }) => needs === 'nothing').map(({ path }) => path);
    assert.deepEqual(free, [
      'state',
      'sign-in',
      'second-factor',
      'sign-out',
      'passkey/options',
      'passkey/sign-in',
      'password/forgot',
      'password/reset',
      'set-up/check',
      'set-up',
      'invitation/check',
      'invitation/accept',
      'oidc/start',
      'oidc/step-up',
      'oidc/callback',
    ]);
    for (const { method, path, needs } of peopleEndpoints) {
      if (needs === 'nothing') continue;
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      assertRefused(await scene.browser().request(method, pathOf(path), body), 401, 'session_required');
    }
  });

  test('what is in no table is not there: none of the paths that better-auth has', async () => {
    const theirs = [
      'sign-in/email',
      'sign-up/email',
      'get-session',
      'list-sessions',
      'update-user',
      'ok',
      'error',
    ];
    for (const path of [...theirs, 'passkey/list-user-passkeys', '', 'state/', '%73tate', 'STATE'])
      assertRefused(await browser.get(path === '' ? '/portal/auth/' : path), 404, 'not_found');
    const refused = await browser.get('sign-in');
    assertRefused(refused, 405, 'method_not_allowed');
    assert.equal(refused.headers['allow'], 'POST');
  });

  test('bodies: strict JSON, of the right type, and small', async () => {
    const post = (body: string, headers = {}) => browser.post('sign-in', body, headers);
    assertRefused(
      await post('{"email":"a@example.com","email":"b@example.com","password":"x"}'),
      400,
      'body_invalid',
    );
    assertRefused(await post('{"email":"a@example.com","password":"x","isAdmin":true}'), 400, 'body_invalid');
    assertRefused(await post('{"email":{"$ne":""},"password":"x"}'), 400, 'body_invalid');
    assertRefused(await post('email=a'), 400, 'body_invalid');
    assertRefused(await post('{}', { 'Content-Type': 'text/plain' }), 415, 'content_type_unsupported');
    const large = JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(17_000) });
    assertRefused(await post(large), 413, 'body_too_large');
  });

  test('another host is refused before anything is looked at', async () => {
    const answer = await browser.request('POST', 'sign-in', {}, { Host: 'evil.example' });
    assertRefused(answer, 400, 'request_malformed');
  });

  test('a stranger may ask for 600 things at once, not for more; people who are signed in go on', async () => {
    const stranger = scene.browser({ localAddress: '127.0.2.1' });
    let answered = 0;
    while (answered < 2000 && (await stranger.get('state')).status === 200) answered += 1;
    assert.equal(answered, 600);
    assertRefused(await stranger.post('passkey/options'), 429, 'too_many_attempts');
    stranger.headers['Cookie'] = browser.cookieHeader();
    assert.equal((await stranger.get('profile')).status, 200);
  });

  test('a person may ask for 600 things at once, not for more; others go on', async () => {
    const email = 'restless@example.com';
    const restless = await scene.signedIn(await scene.addPerson({ email }));
    let answered = 0;
    while (answered < 2000 && (await restless.post('step-up/options')).status === 200) answered += 1;
    assert.equal(answered, 600);
    assertRefused(await restless.get('profile'), 429, 'too_many_attempts');
    assert.equal((await browser.get('profile')).status, 200);
  });

  test('a session that ends while a body comes does nothing more', async () => {
    const email = 'slow@example.com';
    const slow = await scene.signedIn(await scene.addPerson({ email }));
    const body = JSON.stringify({ name: 'Somebody else' });
    const outgoing = request({
      host: '127.0.0.1',
      port: scene.running.port,
      method: 'PATCH',
      path: '/portal/auth/profile',
      agent: false,
      setHost: false,
      headers: {
        Host: new URL(baseUrl).host,
        Origin: baseUrl,
        'Countersign-CSRF': '1',
        Cookie: slow.cookieHeader(),
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
        Expect: '100-continue',
      },
    });
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    assert.equal((await slow.post('sign-out')).status, 204);
    outgoing.end(body);
    const [answer] = await answered;
    answer.resume();
    assert.equal(answer.statusCode, 401);
    const names = await scene.database((database) =>
      database.selectFrom('persons').select('name').where('email', '=', email).execute(),
    );
    assert.notEqual(names[0]!.name, 'Somebody else');
  });

  test('cookies of whatever form are no session', async () => {
    const texts = [
      '',
      'x',
      '../../etc',
      "' or 1=1 --",
      '\u00e9'.repeat(40),
      'a'.repeat(5000),
      'a'.repeat(32),
    ];
    for (const text of texts) {
      const headers = { Cookie: `__Host-countersign-session=${Buffer.from(text).toString('latin1')}` };
      const answer = await scene.browser({ headers }).get('state');
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json()['state'], 'signed-out');
    }
    // Of two cookies of that name nobody knows which is meant.
    const twice = `${browser.cookieHeader()}; ${browser.cookieHeader()}`;
    const state = (await scene.browser({ headers: { Cookie: twice } }).get('state')).json();
    assert.equal(state['state'], 'signed-out');
  });
});
