import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, test } from 'node:test';
import { keyThumbprint, type MessageProfile, messageProfiles } from '@countersign/signature/messages/node';
import { nowSeconds } from '@countersign/testing/draft';
import { secondForm } from './second-form.ts';
import {
  addParty,
  alsoSigned,
  answerTo,
  apiForAll,
  codeFor,
  codeOf,
  definedOf,
  type Draft,
  openApi,
  operatorsOwn,
  otherApiUrl,
  profiles,
  type Sent,
  signed,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * What was accepted once, sent again by whoever saw it.
 */

const { adcp32, agentPayments2025, curl822, fapi2Request01, gnap } = messageProfiles;
const { webBotAuth01, webBotAuth2025 } = messageProfiles;
const posted: Draft = { method: 'POST', body: '{"amount":1}' };

const reordered = (sent: Sent): Sent => ({ ...sent, lines: sent.lines.toReversed() });
const relabelled = (sent: Sent): Sent => {
  const change = (value: string): string => value.replace(/^[a-z0-9]+=/, 'another=');
  return withLine(withLine(sent, 'Signature-Input', change), 'Signature', change);
};
const withSpaces = (sent: Sent): Sent =>
  withLine(sent, 'Signature-Input', (value) => value.replace(/\);/, ' ); ').replace('("', '(  "'));

/** True for a profile by which two equal reads of a second have one signature, so that both pass. */
function mayRepeat({ replay }: MessageProfile, binds: readonly string[]): boolean {
  const isWhole = ['method', 'authority', 'path', 'query'].every((part) => binds.includes(part));
  return isWhole && (replay === 'base' || replay === 'off');
}

describe('a request that was accepted, sent again', () => {
  const scene = apiForAll();

  for (const profile of profiles)
    test(`${profile.id}: rejected, whatever is not bound in it is changed`, async () => {
      const party = await addParty(scene.api, profile);
      const { binds } = definedOf(profile);
      const sent = await signed(party, posted);
      assert.equal(await codeFor(scene.api, sent), 'accepted');
      const again: Record<string, Sent> = {
        'the same': sent,
        'with its lines in another order': reordered(sent),
        'written with other spaces': withSpaces(sent),
        'with other headers that are not covered': { ...sent, lines: [['X-Other', '1'], ...sent.lines] },
        'with another signature': await alsoSigned(sent, party, {
          label: 'zz',
          components: ['"@method"'],
          parameters: { created: nowSeconds, keyid: party.clientId, tag: 'nobody-selects-this' },
        }),
        ...(profile.select?.label === undefined && { 'by another label': relabelled(sent) }),
        ...(!binds.includes('method') && { 'with another method': { ...sent, method: 'PUT' } }),
        ...(!binds.includes('path') && {
          'of another path': { ...sent, url: `${sent.url.split('?', 1)[0]!}/x?state=open` },
        }),
        ...(!binds.includes('query') && { 'with another query': { ...sent, url: `${sent.url}&x=1` } }),
        ...(!binds.includes('body') && { 'with another body': { ...sent, body: '{"amount":9}' } }),
        ...(!binds.includes('body') && { 'in chunks': { ...sent, isChunked: true } }),
      };
      const codes: Record<string, string> = {};
      for (const [name, one] of Object.entries(again)) codes[name] = await codeFor(scene.api, one);
      assert.deepEqual(
        codes,
        Object.fromEntries(Object.keys(again).map((name) => [name, 'signature_replayed'])),
      );
    });

  for (const profile of profiles)
    test(`${profile.id}: a read is repeated only if everything in it is bound, and no nonce is`, async () => {
      const party = await addParty(scene.api, profile);
      const { binds } = definedOf(profile);
      const expected = mayRepeat(profile, binds) ? 'accepted' : 'signature_replayed';
      const sent = await signed(party);
      assert.equal(await codeFor(scene.api, sent), 'accepted');
      assert.equal(await codeFor(scene.api, sent), expected);
      assert.equal(await codeFor(scene.api, reordered(sent)), expected);
    });

  test('a read that leaves its body open is not repeated with one', async () => {
    for (const profile of [curl822, webBotAuth01, agentPayments2025]) {
      const party = await addParty(scene.api, profile);
      const sent = await signed(party);
      assert.equal(await codeFor(scene.api, sent), 'accepted');
      for (const isChunked of [false, true])
        assert.equal(
          await codeFor(scene.api, { ...sent, body: '{"amount":9}', isChunked }),
          'signature_replayed',
        );
    }
  });

  test('the second form of an ECDSA signature is the same request', async () => {
    for (const profile of [fapi2Request01, webBotAuth2025, adcp32, operatorsOwn])
      for (const method of ['GET', 'POST']) {
        const party = await addParty(scene.api, profile, 'ecdsa-p256-sha256');
        const sent = await signed(party, { method });
        const other = withLine(sent, 'Signature', secondForm);
        assert.notDeepEqual(other, sent);
        // Proves that it is a signature.
        assert.equal(await codeFor(scene.api, other), 'accepted');
        const isRead = method === 'GET' && mayRepeat(profile, definedOf(profile).binds);
        assert.equal(await codeFor(scene.api, sent), isRead ? 'accepted' : 'signature_replayed');
      }
  });

  test('a nonce passes once in a second, whatever is signed with it', async () => {
    for (const profile of [adcp32, agentPayments2025, webBotAuth01, webBotAuth2025, gnap, fapi2Request01]) {
      const party = await addParty(scene.api, profile);
      const nonce = 'a-nonce-of-more-than-22-characters';
      const first = await signed(party, { signature: { nonce } });
      const second = await signed(party, { ...posted, signature: { nonce } });
      assert.equal(await codeFor(scene.api, first), 'accepted');
      assert.equal(await codeFor(scene.api, first), 'signature_replayed');
      assert.equal(await codeFor(scene.api, second), 'signature_replayed');
      const other = await addParty(scene.api, profile);
      const byOther = await signed(other, { signature: { nonce } });
      assert.equal(await codeFor(scene.api, byOther), 'accepted', 'another client has nonces of its own');
    }
  });

  test('a signature of one host does not pass at the other', async () => {
    const party = await addParty(scene.api, webBotAuth01);
    const sent = await signed(party);
    const host = new URL(otherApiUrl).host;
    assert.equal(
      await codeFor(scene.api, { ...sent, lines: [['Host', host], ...sent.lines] }),
      'signature_invalid',
    );
  });
});

for (const threads of ['1', '2'])
  test(`after a restart and after a crash, with ${threads} threads: rejected`, async (t) => {
    const api = await openApi(t, profiles, {
      environment: { COUNTERSIGN_THREADS: threads },
      overrides: { nowMs: Date.now },
    });
    const accepted: Sent[] = [];
    for (const profile of [curl822, webBotAuth01, adcp32]) {
      const sent = await signed(await addParty(api, profile), {
        ...posted,
        signature: { created: Math.floor(Date.now() / 1000) },
      });
      const codes = await Promise.all(Array.from({ length: 6 }, () => codeFor(api, sent)));
      assert.deepEqual(codes.toSorted(), ['accepted', ...Array<string>(5).fill('signature_replayed')]);
      accepted.push(sent);
    }
    const party = await addParty(api, webBotAuth01);
    const keyid = await keyThumbprint(createPublicKey(party.keys.publicKey));
    const created = Math.floor(Date.now() / 1000);
    const byThumbprint = await signed(party, { ...posted, signature: { keyid, created } });
    const byKey = await Promise.all(Array.from({ length: 6 }, () => codeFor(api, byThumbprint)));
    assert.deepEqual(byKey.toSorted(), ['accepted', ...Array<string>(5).fill('signature_replayed')]);
    accepted.push(byThumbprint);
    const codesNow = async (): Promise<readonly string[]> => {
      const answers = await Promise.all(accepted.map((sent) => answerTo(api, sent)));
      return answers.map(codeOf);
    };
    await api.running.restart();
    assert.deepEqual(await codesNow(), Array(4).fill('signature_replayed'));
    await api.running.crash();
    assert.deepEqual(await codesNow(), Array(4).fill('recently_restarted'));
    assert.equal(api.received.length, 4);
  });
