import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { keyThumbprint, verifyingKey } from '@countersign/signature/messages/node';
import { lonePublicKey, testKey } from '@countersign/testing/test-keys';
import type { DirectoryKey } from '../../src/directories/directory-key.ts';
import type { DirectoryProblem } from '../../src/directories/directory-problem.ts';
import {
  directoryAt,
  directoryOfSignatureAgent,
  type DirectoryForm,
  type LocationReading,
} from '../../src/directories/directory-location.ts';
import { readTrustedOrigin } from '../../src/directories/directory-url.ts';
import { type Directory, fetchDirectory } from '../../src/directories/fetch-directory.ts';
import { freshForMs } from '../../src/directories/freshness.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import { type Jwk, newJwk, openScene, type Scene, serve } from './scene.ts';

/* What counts as a key, and where directories are. */

const nowSeconds = 1_700_000_000;
const actorUrl = 'https://agent.example/users/ann';

const jwkOf = (pem: string, members: object = {}): Jwk => ({
  ...createPublicKey(pem).export({ format: 'jwk' }),
  ...members,
});
const newEcJwk = (namedCurve: string, members: object = {}): Jwk => ({
  ...generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }),
  ...members,
});
const privateJwk = (): Jwk => ({
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
});

describe('a directory', { skip: skipWithoutOpenssl }, () => {
  let scene: Scene;
  before(async () => (scene = await openScene()));
  after(() => scene.close());
  beforeEach(() => scene.reset());

  const fetched = (
    form: DirectoryForm,
    url: string,
    known: readonly DirectoryKey[] = [],
    limits = { keysMax: 100, rsaKeysMax: 10 },
  ): Promise<Directory | DirectoryProblem> =>
    fetchDirectory(
      { form, url },
      { nowMs: () => nowSeconds * 1000, means: scene.means, deadline: () => new AbortController().signal },
      { limits, known, closing: new AbortController().signal },
    );
  const keySet = async (
    keys: readonly unknown[],
    ...rest: [known?: readonly DirectoryKey[], limits?: never]
  ): Promise<Directory> => {
    scene.answer = serve({ keys });
    const result = await fetched('key-set', 'https://agent.example/keys', ...rest);
    assert.ok(result.ok, JSON.stringify(result));
    return result;
  };

  test('skips what is no usable key, and says why', async () => {
    const entries: readonly (readonly [string, unknown])[] = [
      ['not_a_key', null],
      ['not_a_key', 'key'],
      ['not_a_key', [newJwk()]],
      ['too_long', newJwk({ x5c: ['ab '.repeat(8000)] })],
      ['key_id_invalid', newJwk({ kid: 7 })],
      ['key_id_invalid', newJwk({ kid: '' })],
      ['key_id_invalid', newJwk({ kid: 'a\u202eb' })],
      ['key_id_invalid', newJwk({ kid: 'a '.repeat(600) })],
      ['not_for_signatures', newJwk({ use: 'enc' })],
      ['not_for_signatures', newJwk({ key_ops: ['sign'] })],
      ['not_for_signatures', newJwk({ key_ops: 'verify' })],
      ['algorithm_not_supported', newJwk({ alg: 'none' })],
      ['algorithm_not_supported', newJwk({ alg: 'HS256' })],
      ['algorithm_not_supported', newJwk({ alg: 7 })],
      ['algorithm_not_supported', newJwk({ alg: 'ES256' })],
      ['algorithm_not_supported', newEcJwk('P-256', { alg: 'ES384' })],
      ['algorithm_not_supported', newEcJwk('P-256', { alg: 'RS256' })],
      ['algorithm_not_supported', jwkOf(testKey(0).publicKey, { alg: 'EdDSA' })],
      ['algorithm_not_supported', jwkOf(testKey(0).publicKey, { alg: 'RSA-OAEP' })],
      ['validity_invalid', newJwk({ exp: 'soon' })],
      ['validity_invalid', newJwk({ exp: null })],
      ['validity_invalid', newJwk({ nbf: -1 })],
      ['expired', newJwk({ exp: nowSeconds })],
      ['kind_not_supported', newEcJwk('P-521')],
      ['kind_not_supported', newEcJwk('secp256k1')],
      ['kind_not_supported', { kty: 'OKP', crv: 'X25519', x: newJwk().x }],
      ['kind_not_supported', { kty: 'AKP', pub: 'AAAA' }],
      ['malformed', { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }],
      ['malformed', {}],
      ['weak', jwkOf(lonePublicKey(1024))],
      ['private_key', privateJwk()],
      ['private_key', newJwk({ d: '' })],
      ['private_key', { kty: 'oct', k: 'c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0' }],
      ['private_key', newJwk({ note: testKey(0).privateKey })],
    ];
    for (const [reason, entry] of entries) {
      const good = newJwk();
      const { keys, skipped } = await keySet([entry, good]);
      assert.deepEqual(skipped, { [reason]: 1 }, JSON.stringify(entry));
      assert.deepEqual(
        keys.map(({ thumbprint }) => thumbprint),
        [await keyThumbprint({ ...good })],
      );
    }
  });

  test('skips test keys whose private half is published', async () => {
    const x = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';
    const { keys, skipped } = await keySet([{ kty: 'OKP', crv: 'Ed25519', kid: 'test-key-ed25519', x }]);
    assert.deepEqual([keys, skipped], [[], { published_test_key: 1 }]);
  });

  test('does not count a key whose private half it publishes beside it', async () => {
    const secret = privateJwk();
    const { d: _d, ...half } = secret;
    for (const entries of [
      [secret, half],
      [half, secret],
    ]) {
      const { keys, skipped } = await keySet([...entries, newJwk()]);
      assert.equal(keys.length, 1);
      assert.notEqual(keys[0]?.thumbprint, await keyThumbprint({ ...half }));
      assert.deepEqual(skipped, { private_key: 2 });
    }
  });

  test('counts a key once, and not at all if it is for two algorithms', async () => {
    const twice = newJwk();
    const rsa = jwkOf(testKey(0).publicKey);
    const { keys, skipped } = await keySet([
      twice,
      twice,
      { ...rsa, alg: 'RS256' },
      { ...rsa, alg: 'PS512' },
    ]);
    assert.equal(keys.length, 1);
    assert.deepEqual(skipped, { duplicate: 1, several_algorithms: 2 });
  });

  test('has few RSA keys, because examining one takes long', async () => {
    const entries = [1, 2, 3].map(() => jwkOf(lonePublicKey()));
    scene.answer = serve({ keys: [...entries, newJwk(), newJwk()] });
    const result = await fetched('key-set', 'https://agent.example/', [], { keysMax: 4, rsaKeysMax: 2 });
    assert.ok(result.ok);
    assert.deepEqual([result.keys.length, result.skipped], [3, { too_many: 2 }]);
  });

  test('has keys of every kind, with the algorithm of each', async () => {
    const rsa = testKey(0).publicKey;
    const table: readonly (readonly [Jwk, string | undefined])[] = [
      [newJwk(), 'ed25519'],
      [newJwk({ alg: 'EdDSA', use: 'sig', key_ops: ['verify'], nbf: 1, exp: nowSeconds + 1 }), 'ed25519'],
      [newJwk({ alg: 'Ed25519', unknown: 'member' }), 'ed25519'],
      [newEcJwk('P-256', { alg: 'ES256' }), 'ecdsa-p256-sha256'],
      [newEcJwk('P-384'), 'ecdsa-p384-sha384'],
      [jwkOf(rsa), undefined],
      [jwkOf(rsa, { alg: 'RS256' }), 'rsa-v1_5-sha256'],
      [jwkOf(rsa, { alg: 'PS256' }), 'PS256'],
      [jwkOf(rsa, { alg: 'PS512' }), 'rsa-pss-sha512'],
    ];
    for (const [jwk, algorithm] of table) {
      const { keys } = await keySet([{ ...jwk, kid: 'one' }]);
      const [key] = keys;
      assert.deepEqual([keys.length, key?.kid, key?.algorithm], [1, 'one', algorithm]);
      const { alg: _alg, nbf: _nbf, exp: _exp, ...members } = jwk;
      assert.equal(key?.thumbprint, await keyThumbprint({ ...members }));
      const options =
        algorithm === undefined ? { algorithm: 'PS256' as const } : { algorithm: key.algorithm! };
      assert.equal(verifyingKey(key.spkiPem, options).id, key?.fingerprint);
    }
  });

  test('takes over a key that it had before, with what it says about it now', async () => {
    const jwk = jwkOf(lonePublicKey(), { alg: 'PS512' });
    const first = await keySet([{ ...jwk, kid: 'a' }]);
    const second = await keySet([{ ...jwk, kid: 'b', exp: nowSeconds + 60 }], first.keys);
    assert.deepEqual(second.keys, [{ ...first.keys[0], kid: 'b', endsAtMs: (nowSeconds + 60) * 1000 }]);
    const spoiled = await keySet([{ ...jwk, note: testKey(0).privateKey }], first.keys);
    assert.deepEqual(spoiled.skipped, { private_key: 1 });
    const third = await keySet([{ ...jwk, alg: 'RS256' }], second.keys);
    assert.equal(third.keys[0]?.algorithm, 'rsa-v1_5-sha256');
  });

  const actor = (members: object = {}, key: object = {}): object => ({
    '@context': ['https://www.w3.org/ns/activitystreams', { schema: 'http://schema.org#' }],
    id: actorUrl,
    type: 'Person',
    publicKey: {
      id: `${actorUrl}#main-key`,
      owner: actorUrl,
      publicKeyPem: testKey(0).publicKey,
      ...key,
    },
    ...members,
  });
  const actorType = { 'Content-Type': 'application/activity+json; charset=utf-8' };

  test('that is an actor speaks for itself alone', async () => {
    const other = 'https://agent.example/users/bob';
    const wrong: readonly (readonly [object, string])[] = [
      [actor({ id: other }), 'actor_mismatch'],
      [actor({ id: undefined }), 'actor_mismatch'],
      [actor({ id: `${actorUrl}#` }), 'actor_mismatch'],
      [actor({ id: [actorUrl] }), 'actor_mismatch'],
      [actor({ publicKey: undefined }), 'document_invalid'],
      [actor({ publicKey: 'https://agent.example/key' }), 'document_invalid'],
      [actor({ publicKey: Array.from({ length: 11 }, () => ({})) }), 'keys_too_many'],
      [actor({}, { owner: other }), 'owner_mismatch'],
      [actor({}, { owner: undefined }), 'owner_mismatch'],
      [actor({}, { id: `${other}#main-key` }), 'owner_mismatch'],
      [actor({}, { id: `${actorUrl}2#main-key` }), 'owner_mismatch'],
      [actor({}, { id: 7 }), 'key_id_invalid'],
      [actor({}, { id: `${actorUrl}#${'a'.repeat(256)}` }), 'key_id_invalid'],
      [actor({}, { controller: other }), 'owner_mismatch'],
      [actor({}, { owner: other, controller: actorUrl }), 'owner_mismatch'],
      [actor({}, { publicKeyPem: 7 }), 'malformed'],
      [actor({}, { publicKeyPem: 'no key' }), 'malformed'],
      [actor({}, { publicKeyPem: testKey(0).privateKey }), 'private_key'],
      [actor({}, { privateKeyPem: testKey(0).privateKey }), 'private_key'],
      [actor({ publicKey: [7] }), 'not_a_key'],
    ];
    for (const [document, problem] of wrong) {
      scene.answer = serve(document, actorType);
      const result = await fetched('actor', actorUrl);
      if (result.ok) assert.deepEqual([result.keys, result.skipped], [[], { [problem]: 1 }]);
      else assert.equal(result.code, problem);
    }
  });

  test('that is an actor has the type of one', async () => {
    const types: readonly (readonly [string, boolean])[] = [
      ['application/json', false],
      ['application/ld+json', false],
      ['application/ld+json; profile="https://other.example/"', false],
      ['text/html', false],
      ['application/activity+json', true],
      ['application/ld+json; profile="https://www.w3.org/ns/activitystreams"', true],
    ];
    for (const [type, isRight] of types) {
      scene.answer = serve(actor(), { 'Content-Type': type });
      const result = await fetched('actor', actorUrl);
      assert.equal(result.ok ? undefined : result.code, isRight ? undefined : 'content_type_not_allowed');
    }
  });

  test('that is an actor has its keys by their ID', async () => {
    scene.answer = serve(actor(), actorType);
    const result = await fetched('actor', actorUrl);
    assert.ok(result.ok);
    const [key] = result.keys;
    assert.deepEqual([key?.kid, key?.algorithm, key?.bits], [`${actorUrl}#main-key`, undefined, 2048]);
    assert.match(scene.requests[0]!, /^GET \/users\/ann HTTP.*\r\nAccept: application\/activity\+json, /s);
  });
});

describe('where a directory is', () => {
  const place = (reading: LocationReading): string =>
    reading.ok ? `${reading.location.form} ${reading.location.url}` : reading.code;
  const wellKnown = '/.well-known/http-message-signatures-directory';

  test('by Signature-Agent, in four forms', () => {
    const forms: readonly (readonly [string, string | undefined, string])[] = [
      ['https://agent.example/keys.json', undefined, 'key-set https://agent.example/keys.json'],
      ['https://agent.example/?a=b', undefined, 'key-set https://agent.example/?a=b'],
      ['https://agent.example', undefined, `key-set https://agent.example${wellKnown}`],
      ['https://agent.example/', undefined, `key-set https://agent.example${wellKnown}`],
      ['https://agent.example', 'directory', `key-set https://agent.example${wellKnown}`],
      ['https://agent.example/jwks', 'jwks_uri', 'key-set https://agent.example/jwks'],
      ['https://agent.example/', 'jwks_uri', 'key-set https://agent.example/'],
      ['https://agent.example/card', 'cimd', 'form_unsupported'],
      ['agent.example', undefined, 'url_malformed'],
      ['data:application/json;base64,e30=', undefined, 'url_not_https'],
      ['http://agent.example', undefined, 'url_not_https'],
      ['https://user@agent.example', undefined, 'url_has_credentials'],
      ['https://127.0.0.1', undefined, 'url_host_is_address'],
      ['https://agent.example#', undefined, 'url_has_fragment'],
    ];
    for (const [value, type, expected] of forms)
      assert.equal(place(directoryOfSignatureAgent({ value, type })), expected, value);
  });

  test("by its URL, also at an operator's origin", () => {
    assert.equal(place(directoryAt('key-set', 'http://keys.intranet:8080/')), 'url_not_https');
    const trusted = new Set(['http://keys.intranet:8080']);
    assert.equal(
      place(directoryAt('key-set', 'http://keys.intranet:8080/', trusted)),
      'key-set http://keys.intranet:8080/',
    );
    const origins = [
      'http://keys.intranet:8080/',
      'keys.intranet',
      'ftp://keys.intranet',
      'https://Keys.intranet',
      '',
    ];
    for (const text of origins) assert.equal(readTrustedOrigin(text), undefined, text);
    assert.equal(readTrustedOrigin('https://keys.intranet'), 'https://keys.intranet');
  });

  test('and how long it is fresh: from five minutes to a day', () => {
    const table: readonly (readonly [string, number])[] = [
      ['', 3600],
      ['public', 3600],
      ['max-age=0', 300],
      ['max-age=301', 301],
      ['public, MAX-AGE="600"', 600],
      ['max-age=600, max-age=900', 600],
      ['max-age=99999999999999999999', 86_400],
      ['max-age=-1', 3600],
      ['s-maxage=600', 3600],
      ['no-store', 300],
      ['no-cache, max-age=86400', 300],
    ];
    for (const [header, seconds] of table) assert.equal(freshForMs(header), seconds * 1000, header);
  });
});
