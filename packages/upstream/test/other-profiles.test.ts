import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nowMs } from '@countersign/testing/draft';
import {
  addParty,
  alsoSigned,
  apiForAll,
  codeFor,
  profiles,
  signed,
} from '@countersign/testing/profiled-requests';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { contentDigest } from '@countersign/signature/node';
import { attacks, profiledAttacks } from './attacks.ts';
import { asRequest, checkFor } from './signed-api.ts';

/*
 * The check of the API, for requests that their clients signed by another profile.
 */

const scene = apiForAll(profiles, { environment: { COUNTERSIGN_SIGN_FORWARDED: 'yes' } });
const body = '{"amount":1}';

describe('a request by another profile that came through the gateway', () => {
  for (const profile of profiles)
    test(`${profile.id}: is accepted with a body, in chunks and without, and not with another body`, async () => {
      const party = await addParty(scene.api, profile);
      const check = checkFor(scene.api.running, { nowMs });
      for (const draft of [{}, { method: 'POST', body }, { method: 'POST', body, isChunked: true }]) {
        assert.equal(await codeFor(scene.api, await signed(party, draft)), 'accepted');
        const request = asRequest(scene.api.received.at(-1)!);
        const result = await check(request);
        assert.ok(result.ok, JSON.stringify(result));
        assert.equal(result.clientId, party.clientId);
        assert.equal(result.profile, profile.id);
        assert.equal(result.covered, scene.api.received.at(-1)!.values('countersign-covered')[0]);
        const changed = await check({ ...request, body: Buffer.from('{"amount":9}') });
        assert.equal(changed.ok, false);
      }
    });

  test('is accepted if its own digest is by another algorithm, and then has the gateway’s', async () => {
    for (const profile of profiles.filter(({ digests }) => digests?.includes('sha-512'))) {
      const party = await addParty(scene.api, profile);
      const sent = await signed(party, { method: 'POST', body });
      const lines = sent.lines.filter(([name]) => name !== 'Content-Digest');
      const open =
        sent.lines.length > lines.length
          ? sent
          : { ...sent, lines: [...lines, ['Content-Digest', 'sha-512=:AAAA:'] as const] };
      assert.equal(await codeFor(scene.api, open), 'accepted');
      const received = scene.api.received.at(-1)!;
      assert.deepEqual(received.values('content-digest'), [contentDigest(Buffer.from(body))]);
      assert.equal((await checkFor(scene.api.running, { nowMs })(asRequest(received))).ok, true);
    }
  });

  test('a signature of its own that is named like the gateway’s does not reach the check', async () => {
    for (const profile of profiles.filter(({ select }) => select?.label !== undefined)) {
      const party = await addParty(scene.api, profile);
      const own = await signed(party, { method: 'POST', body });
      const sent = await alsoSigned(own, party, {
        label: 'countersign',
        components: ['"@method"', '"@target-uri"'],
        parameters: { tag: 'countersign-forwarded', keyid: 'x' },
      });
      assert.equal(await codeFor(scene.api, sent), 'accepted');
      const received = scene.api.received.at(-1)!;
      const ours = received.values('signature-input').filter((value) => value.includes('countersign'));
      assert.equal(ours.length, 1);
      assert.equal((await checkFor(scene.api.running, { nowMs })(asRequest(received))).ok, true);
    }
  });

  test('is not accepted with headers that could be mistaken for the gateway’s', async () => {
    const party = await addParty(scene.api, profiles[0]!);
    const sent = await signed(party, { method: 'POST', body });
    const forged = [
      ['Countersign-Covered', '"content-digest"'],
      ['Countersign-Profile', 'countersign'],
      ['Countersign_Covered', '"content-digest"'],
      ['Countersign-Client-Id', 'someone'],
    ] as const;
    assert.equal(await codeFor(scene.api, { ...sent, lines: [...forged, ...sent.lines] }), 'accepted');
    const received = scene.api.received.at(-1)!;
    assert.deepEqual(received.values('countersign-covered'), ['"@method" "@authority" "@path" "@query"']);
    assert.deepEqual(received.values('countersign-profile'), ['curl-8.22']);
    assert.deepEqual(received.values('countersign_covered'), []);
    assert.deepEqual(received.values('countersign-client-id'), [party.clientId]);
  });

  test('a digest in another spelling does not reach the API beside the gateway’s', async () => {
    const party = await addParty(scene.api, profiles[0]!);
    for (const name of ['Content_Digest', 'content_digest', 'CONTENT-Digest']) {
      const sent = await signed(party, { method: 'POST', body });
      const lines = [[name, contentDigest(Buffer.from('another body'))] as const, ...sent.lines];
      assert.equal(await codeFor(scene.api, { ...sent, lines }), 'accepted');
      const received = scene.api.received.at(-1)!;
      const digests = received.rawHeaders.filter((text) => /^content[-_]digest$/i.test(text));
      assert.deepEqual(digests, ['Content-Digest'], name);
    }
  });
});

describe('a request by another profile that was changed behind the gateway', () => {
  const general = attacks.filter(([name]) => !/profile|covered components|words that nothing/.test(name));
  for (const [name, code, change] of [...profiledAttacks, ...general])
    test(`with ${name} is rejected: ${code}`, async () => {
      const party = await addParty(scene.api, profiles[0]!);
      const url = `${apiBaseUrl}/orders/7?a=1`;
      assert.equal(await codeFor(scene.api, await signed(party, { method: 'POST', url, body })), 'accepted');
      const request = asRequest(scene.api.received.at(-1)!);
      const check = checkFor(scene.api.running, { nowMs });
      assert.equal((await check(request)).ok, true);
      const result = await check(change(request, request.rawHeaders!));
      assert.equal(result.ok ? 'accepted' : result.code, code, JSON.stringify(result));
    });
});

test('a request by the closed profile has neither profile nor covered components', async () => {
  assert.equal((await scene.api.call('POST', '/orders/8', { body })).status, 200);
  const received = scene.api.received.at(-1)!;
  assert.match(received.values('signature-input').at(-1)!, /"countersign-request-id"\);created=/);
  const result = await checkFor(scene.api.running, { nowMs })(asRequest(received));
  assert.deepEqual([result.ok, 'profile' in result, 'covered' in result], [true, false, false]);
});
