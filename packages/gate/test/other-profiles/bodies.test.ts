import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { contentDigest } from '@countersign/signature/node';
import {
  addParty,
  apiForAll,
  codeFor,
  profiles,
  signedOtherwise,
} from '@countersign/testing/profiled-requests';

/*
 * Bodies that do not stay in memory: they were hashed by SHA-256 alone while they were written to disk.
 */

const { curl822, gnap, webBotAuth01 } = messageProfiles;
const scene = apiForAll(profiles, { environment: { COUNTERSIGN_BODY_MEMORY_BYTES_MAX: '1000' } });
const body = 'a large body '.repeat(1000);
const bySha256 = contentDigest(Buffer.from(body));
const bySha512 = `sha-512=:${hash('sha512', body, 'base64')}:`;
const wrong = contentDigest(Buffer.from('another body'));

const own = '"content-digest"';
const key = (name: string): string => `"content-digest";key="${name}"`;

/** The digest that is sent, what covers it, and the code. */
const cases: readonly (readonly [digest: string, covering: string | undefined, code: string])[] = [
  [wrong, own, 'digest_mismatch'],
  [`${wrong}, ${bySha512}`, own, 'digest_mismatch'],
  [`${wrong}, ${bySha512}`, key('sha-256'), 'digest_mismatch'],
  // SHA-512 alone is signed, and cannot be compared.
  [bySha512, own, 'digest_malformed'],
  [bySha512, key('sha-512'), 'digest_malformed'],
  [`${bySha256}, ${bySha512}`, key('sha-512'), 'digest_malformed'],
  [bySha256, own, 'accepted'],
  [`${bySha256}, ${bySha512}`, own, 'accepted'],
  [`${bySha256}, ${bySha512}`, key('sha-256'), 'accepted'],
  [`${bySha256}, ${bySha512}`, undefined, 'accepted'],
  [wrong, undefined, 'accepted'],
];

test('a large body is compared by a signed SHA-256, or rejected if there is none', async () => {
  const party = await addParty(scene.api, curl822);
  for (const [digest, covering, code] of cases)
    for (const isChunked of [false, true]) {
      const sent = await signedOtherwise(party, { method: 'POST', body, isChunked }, ({ components }) => ({
        digest,
        components: covering === undefined ? components : [...components, covering],
      }));
      const receivedBefore = scene.api.received.length;
      assert.equal(await codeFor(scene.api, sent), code, `${digest} by ${covering}`);
      const received = scene.api.received.slice(receivedBefore);
      assert.equal(received.length, code === 'accepted' ? 1 : 0);
      for (const one of received) {
        assert.equal(one.body, body);
        assert.deepEqual(one.values('content-digest'), [bySha256]);
      }
    }
});

test('a large body that changes on the way is rejected where it is bound, and told as open where it is not', async () => {
  const bound = await addParty(scene.api, gnap);
  const sent = await signedOtherwise(bound, { method: 'POST', body }, () => ({ digest: bySha256 }));
  assert.equal(await codeFor(scene.api, { ...sent, body: `${body}!` }), 'digest_mismatch');
  const open = await addParty(scene.api, webBotAuth01);
  const changed = await signedOtherwise(open, { method: 'POST', body }, () => ({}));
  assert.equal(await codeFor(scene.api, { ...changed, body: `${body}!` }), 'accepted');
  const received = scene.api.received.at(-1)!;
  assert.deepEqual(received.values('content-digest'), [contentDigest(Buffer.from(`${body}!`))]);
  assert.doesNotMatch(received.values('countersign-covered')[0]!, /content-digest/);
});
