import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';
import { defaultProfile, type ProfileId, profiles } from '../src/profile/index.ts';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const nodeKey = node.createVerificationKey(pair.publicKey);
const webKey = await web.createVerificationKey(pair.publicKey);
const created = 1_790_000_000;

/** Verifies on Node and with Web Crypto, whose results must be the same. */
async function verify(
  record: { readonly profile?: ProfileId; readonly acceptWithoutDate?: boolean },
  coverDate: boolean,
  body?: string,
): Promise<node.Verification<unknown>> {
  const signer = node.createSigner({ keyid: 'shop', privateKey: pair.privateKey, coverDate });
  const signed = signer.sign(
    { method: 'PUT', url: 'https://api.example.com/v1/orders/7', body },
    { created },
  );
  const request = {
    method: signed.method,
    targetUri: signed.url,
    headers: Object.entries(signed.headers),
    body: signed.body,
  };
  const common = { nowSeconds: () => created, guard: node.acceptReplaysUnsafely };
  const onNode = node.verifyRequest(request, {
    ...common,
    clientByKeyid: () => ({ ...record, keys: [nodeKey] }),
  });
  const onWeb = await web.verifyRequest(request, {
    ...common,
    clientByKeyid: () => ({ ...record, keys: [webKey] }),
  });
  const withoutClient = (result: node.Verification<unknown>): unknown =>
    result.ok ? { ...result, client: undefined } : result;
  assert.deepEqual(withoutClient(onNode), withoutClient(onWeb));
  return onNode;
}

describe('the profile of a client', () => {
  for (const record of [{}, { profile: 'countersign' }, { acceptWithoutDate: false }] as const) {
    for (const [body, expected] of [
      [undefined, '("@method" "@target-uri" "date")'],
      ['{}', '("@method" "@target-uri" "content-digest" "date")'],
    ] as const) {
      test(`${JSON.stringify(record)} refuses ${body ?? 'no body'} without date`, async () => {
        assert.deepEqual(await verify(record, false, body), {
          ok: false,
          code: 'components_invalid',
          reason: '"date" is not covered, and this client is not registered to leave it out',
          expected,
          received: expected.replace(' "date"', ''),
        });
      });
    }

    test(`${JSON.stringify(record)} accepts a covered date`, async () => {
      assert.equal((await verify(record, true)).ok, true);
    });
  }

  test('decides, whatever the earlier switch next to it says', async () => {
    assert.equal((await verify({ profile: 'countersign', acceptWithoutDate: true }, false)).ok, false);
  });

  for (const record of [{ profile: 'countersign-without-date' }, { acceptWithoutDate: true }] as const) {
    test(`${JSON.stringify(record)} accepts signatures with and without date`, async () => {
      for (const body of [undefined, '{}'])
        for (const coverDate of [true, false]) assert.equal((await verify(record, coverDate, body)).ok, true);
    });
  }
});

describe('profiles', () => {
  test('are data that JSON can hold', () => {
    for (const [id, { profile }] of Object.entries(profiles)) {
      assert.equal(profile.id, id);
      assert.deepEqual(JSON.parse(JSON.stringify(profile)), profile);
    }
  });

  test('differ only in the components that must be covered, because strangers are checked before their profile is known', () => {
    for (const { profile } of Object.values(profiles)) {
      const { id, date } = defaultProfile.profile;
      assert.deepEqual({ ...profile, id, date }, defaultProfile.profile);
    }
  });

  test('say what they permit, and ask for everything', () => {
    const withDate = [
      '("@method" "@target-uri" "content-digest" "date")',
      '("@method" "@target-uri" "date")',
    ];
    const withoutDate = ['("@method" "@target-uri" "content-digest")', '("@method" "@target-uri")'];
    assert.deepEqual([...profiles.countersign.lists.keys()], withDate);
    assert.deepEqual([...profiles['countersign-without-date'].lists.keys()], [...withDate, ...withoutDate]);
    for (const { acceptSignature, expectedInput } of Object.values(profiles)) {
      assert.equal(acceptSignature(true), `sig=${withDate[0]};created;alg="rsa-v1_5-sha256"`);
      assert.equal(acceptSignature(false), `sig=${withDate[1]};created;alg="rsa-v1_5-sha256"`);
      assert.equal(acceptSignature(false, 'ed25519'), `sig=${withDate[1]};created;alg="ed25519"`);
      assert.equal(acceptSignature(false, 'hmac-sha256'), acceptSignature(false));
      assert.equal(
        expectedInput,
        `sig=${withDate[0]};created=<unix seconds>;keyid="<clientId>";alg="rsa-v1_5-sha256"`,
      );
    }
  });
});
