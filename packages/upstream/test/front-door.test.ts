import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ProtectedApi } from '@countersign/testing/protected-api';
import { apiBaseUrl, otherKeyPair } from '@countersign/testing/running-service';
import { attacks } from './attacks.ts';
import { asRequest, checkFor, directoryPath, openSignedApi } from './signed-api.ts';

describe('a request that came through the gateway', () => {
  test('is accepted, with the client that sent it', async (t) => {
    const api = await openSignedApi(t);
    const check = checkFor(api.running);
    await api.call('GET', "/orders/a%20b'(x)?q=%7e&r=|{}");
    await api.call('POST', '/orders?', { body: '{"name": "café"}' });
    await api.call('DELETE', '/');
    const results = await Promise.all(api.received.map((one) => check(asRequest(one))));
    for (const [index, result] of results.entries()) {
      const seen = api.received[index]!;
      assert.deepEqual(result, {
        ok: true,
        clientId: api.clientId,
        account: seen.values('countersign-account')[0],
        roles: ['api-user'],
        keyId: seen.values('countersign-key')[0],
        requestId: seen.values('countersign-request-id')[0],
        targetUri: apiBaseUrl + seen.target,
      });
    }
    assert.equal(results.length, 3);
  });

  test('is accepted however its server hands on the headers', async (t) => {
    const api = await openSignedApi(t);
    const check = checkFor(api.running);
    await api.call('POST', '/orders', { body: 'x' });
    const { rawHeaders, ...request } = asRequest(api.received[0]!);
    const pairs = rawHeaders!.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, rawHeaders![index + 1]!]] : [],
    );
    const joined = Object.fromEntries(new Headers(pairs));
    for (const headers of [pairs, new Headers(pairs), joined, { ...joined, other: ['a', 'b'] }])
      assert.equal((await check({ ...request, headers })).ok, true);
    const url = `${apiBaseUrl}/orders`;
    assert.equal((await check({ ...request, rawHeaders, url })).ok, true);
  });

  test('still has the signature of the client, on lines of its own', async (t) => {
    const api = await openSignedApi(t);
    await api.call('GET', '/orders');
    const [seen] = api.received;
    const inputs = seen!.values('signature-input');
    assert.deepEqual(
      inputs.map((line) => line.slice(0, line.indexOf('='))),
      ['sig', 'countersign'],
    );
    assert.equal(seen!.values('signature').length, 2);
    assert.match(
      inputs[1]!,
      /^countersign=\("@method" "@target-uri" "countersign-client-id" "countersign-account" "countersign-roles" "countersign-key" "countersign-request-id"\);created=\d{10};expires=\d{10};keyid="[\w-]{43}";alg="ed25519";tag="countersign-forwarded"$/,
    );
  });
});

describe('a request that was changed behind the gateway', () => {
  let api: ProtectedApi;
  const closers: (() => unknown)[] = [];
  before(async () => {
    api = await openSignedApi({ after: (close) => void closers.push(close as () => unknown) });
    await api.call('POST', '/orders/7?a=1', { body: '{"amount":1}' });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  for (const [name, code, change] of attacks) {
    test(`with ${name} is refused: ${code}`, async () => {
      const request = asRequest(api.received[0]!);
      const result = await checkFor(api.running)(change(request, request.rawHeaders!));
      assert.equal(result.ok ? 'accepted' : result.code, code, JSON.stringify(result));
    });
  }

  test('is accepted unchanged, so that the tests above can fail', async () => {
    assert.equal((await checkFor(api.running)(asRequest(api.received[0]!))).ok, true);
  });

  test('is refused when the body was covered for another base URL', async () => {
    const check = checkFor(api.running, { audience: ['https://billing.example.test'] });
    const result = await check(asRequest(api.received[0]!));
    assert.equal(result.ok ? '' : result.code, 'signature_invalid');
  });

  test('is refused after its minute, and earlier if the API asks for that', async () => {
    const codeAt = async (seconds: number, maxAgeSeconds?: number): Promise<string> => {
      const nowMs = (): number => Date.now() + seconds * 1000;
      const options = maxAgeSeconds === undefined ? { nowMs } : { nowMs, maxAgeSeconds };
      const result = await checkFor(api.running, options)(asRequest(api.received[0]!));
      return result.ok ? 'accepted' : result.code;
    };
    assert.deepEqual(
      [await codeAt(40), await codeAt(62), await codeAt(7, 5), await codeAt(62, 3600), await codeAt(-30)],
      ['accepted', 'expired', 'expired', 'expired', 'created_in_future'],
    );
  });

  test('is refused when it comes again, if each may come once', async () => {
    const request = asRequest(api.received[0]!);
    const once = checkFor(api.running, { once: true });
    const results = [await once(request), await once(request), await checkFor(api.running)(request)];
    assert.deepEqual(
      results.map((result) => (result.ok ? 'accepted' : result.code)),
      ['accepted', 'repeated', 'accepted'],
    );
  });

  test('uses up nothing while it is refused', async () => {
    const request = asRequest(api.received[0]!);
    const once = checkFor(api.running, { once: true });
    assert.equal((await once({ ...request, method: 'PUT' })).ok, false);
    assert.equal((await once(request)).ok, true);
  });
});

describe('a request that did not come through the gateway', () => {
  test('is refused, whatever it says about its sender', async (t) => {
    const api = await openSignedApi(t);
    await api.call('GET', '/orders');
    const check = checkFor(api.running);
    const { rawHeaders } = asRequest(api.received[0]!);
    const identity = rawHeaders!.filter((_, index) =>
      /^countersign-/i.test(rawHeaders![index - (index % 2)]!),
    );
    const url = `${apiBaseUrl}/orders`;
    const signed = api.signer.sign({ method: 'GET', url });
    const ofTheClient = Object.entries(signed.headers).flat();
    for (const headers of [[], identity, ofTheClient, [...ofTheClient, ...identity]]) {
      const result = await check({ method: 'GET', url: '/orders', rawHeaders: headers });
      assert.equal(result.ok ? 'accepted' : result.code, 'signature_missing');
    }
  });

  test('is refused when it was signed by the key of another service', async (t) => {
    const [api, other] = [await openSignedApi(t), await openSignedApi(t)];
    await other.call('GET', '/orders');
    const result = await checkFor(api.running)(asRequest(other.received[0]!));
    assert.equal(result.ok ? 'accepted' : result.code, 'key_unknown');
    assert.equal((await checkFor(other.running)(asRequest(other.received[0]!))).ok, true);
  });
});

describe('an API that is only observed', () => {
  const routes = JSON.stringify([{ path: '/**', permission: 'api', mode: 'observe' }]);

  test('gets signatures for those who proved who they are, and refuses the others', async (t) => {
    const api = await openSignedApi(t, { environment: { COUNTERSIGN_ROUTES: routes } });
    const check = checkFor(api.running);
    const url = `${apiBaseUrl}/orders`;
    await api.call('GET', '/orders');
    await api.running.send({ method: 'GET', url });
    await api.running.send({
      method: 'GET',
      url,
      headers: { ...api.signer.sign({ method: 'PUT', url }).headers },
    });
    const results = await Promise.all(api.received.map((one) => check(asRequest(one))));
    assert.deepEqual(
      results.map((result) => (result.ok ? result.clientId : result.code)),
      [api.clientId, 'signature_missing', 'signature_missing'],
    );
  });

  test('gets no member of ours from a client, in no spelling', async (t) => {
    const api = await openSignedApi(t, { environment: { COUNTERSIGN_ROUTES: routes } });
    await api.call('GET', '/orders');
    const [genuine] = api.received;
    const [input, signature] = ['signature-input', 'signature'].map((name) => genuine!.values(name)[1]!);
    const identity = { 'Countersign-Client-Id': api.clientId, Countersign_Roles: 'admin' };
    const spellings = [
      { 'Signature-Input': input!, Signature: signature! },
      { 'Signature-Input': `a=("@method"), ${input}`, Signature: ['a=:AAAA:', signature!] },
      { signature_input: input!, signature: signature! },
    ];
    for (const headers of spellings)
      await api.running.send({
        method: 'GET',
        url: `${apiBaseUrl}/orders`,
        headers: { ...identity, ...headers },
      });
    assert.equal(api.received.length, 4);
    for (const { rawHeaders } of api.received.slice(1)) {
      const text = rawHeaders.join('\n').toLowerCase();
      assert.ok(!text.includes('countersign=') && !text.includes('countersign-client-id'), text);
      assert.ok(!text.includes('countersign_'), text);
    }
  });

  test('gets the signatures of another scheme as they are', async (t) => {
    const api = await openSignedApi(t, { environment: { COUNTERSIGN_ROUTES: routes } });
    const headers = { Signature: 'keyId="mine",signature="AAAA"' };
    await api.running.send({ method: 'GET', url: `${apiBaseUrl}/orders`, headers });
    assert.deepEqual(api.received[0]!.values('signature'), [headers.Signature]);
  });
});

test('a request that cannot be signed is refused, and never forwarded without', async (t) => {
  const clock = { nowMs: Date.now() };
  const api = await openSignedApi(t, { overrides: { nowMs: () => clock.nowMs } });
  assert.equal((await api.call('GET', '/orders')).status, 200);
  // The key has not been renewed for an hour, so nobody would accept what it signs.
  clock.nowMs += 3_600_000;
  const answer = await api.call('GET', '/orders');
  assert.deepEqual([answer.status, answer.json()['code']], [503, 'storage_unavailable']);
  assert.equal(api.received.length, 1);
});

test('nothing is signed unless the settings say so', async (t) => {
  const api = await openSignedApi(t, { environment: { COUNTERSIGN_SIGN_FORWARDED: 'no' } });
  await api.call('GET', '/orders');
  assert.equal(api.received[0]!.values('signature-input').length, 1);
  assert.deepEqual((await api.running.send({ method: 'GET', url: directoryPath })).json(), { keys: [] });
});

test('an upstream of the table is signed for if it says so', async (t) => {
  const api = await openSignedApi(t);
  const [address] = api.running.service.configuration.upstream!;
  const other = await openSignedApi(t, {
    environment: {
      COUNTERSIGN_SIGN_FORWARDED: 'no',
      COUNTERSIGN_UPSTREAM: undefined,
      COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
      COUNTERSIGN_UPSTREAMS: JSON.stringify({
        signed: { addresses: address, sign: true },
        plain: { addresses: address },
      }),
      COUNTERSIGN_ROUTES: JSON.stringify([
        { path: '/signed', permission: 'api', upstream: 'signed' },
        { path: '/plain', permission: 'api', upstream: 'plain' },
      ]),
    },
  });
  await other.call('GET', '/signed');
  await other.call('GET', '/plain');
  const check = checkFor(other.running);
  const results = await Promise.all(api.received.map((one) => check(asRequest(one))));
  assert.deepEqual(
    results.map((result) => (result.ok ? result.targetUri : result.code)),
    [`${apiBaseUrl}/signed`, 'signature_missing'],
  );
});

describe('the directory of keys', () => {
  test('is a JWK Set that may be cached for a minute, on the console alone', async (t) => {
    const api = await openSignedApi(t);
    const answer = await api.running.send({ method: 'GET', url: directoryPath });
    const { headers } = answer;
    assert.equal(answer.status, 200);
    assert.equal(headers['content-type'], 'application/http-message-signatures-directory+json');
    assert.equal(headers['cache-control'], 'public, max-age=60');
    const [key, ...others] = answer.json()['keys'] as Record<string, unknown>[];
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(key!), ['kty', 'crv', 'kid', 'x', 'use', 'exp']);
    assert.equal((await api.running.send({ method: 'HEAD', url: directoryPath })).text, '');
    const post = await api.running.send({ method: 'POST', url: directoryPath, body: '{}' });
    assert.equal(post.json()['code'], 'signature_missing');
    // The API's own path of that name.
    assert.equal((await api.call('GET', directoryPath)).text, `the API's own ${directoryPath}`);
    const other = await api.call('GET', directoryPath, {
      signer: (await api.running.addClient({ keyPair: otherKeyPair, roles: ['api-user'] })).signer,
    });
    assert.equal(other.status, 200);
  });
});
