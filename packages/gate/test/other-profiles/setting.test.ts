import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { acceptReplaysUnsafely, createSigner, verifyRequest } from '@countersign/signature/node';
import { nowMs, nowSeconds } from '@countersign/testing/draft';
import {
  addParty,
  apiForAll,
  codeFor,
  freshUrl,
  type Party,
  profiles,
  type Sent,
  signed,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * A service that does not accept a client's profile: it never did, or no longer does.
 */

const { curl822, fapi2Request01 } = messageProfiles;

/** What the closed profile says about a request of nobody. */
function codeByClosed({ method, url, lines, body }: Sent): string {
  const request = {
    method,
    targetUri: url,
    headers: lines,
    body: body === undefined ? undefined : Buffer.from(body),
  };
  const result = verifyRequest(request, {
    clientByKeyid: () => undefined,
    guard: acceptReplaysUnsafely,
    nowSeconds: () => nowSeconds,
  });
  assert.ok(!result.ok);
  return result.code;
}

function closed({ keys, clientId }: Party, method = 'GET'): Sent {
  const url = freshUrl();
  const signer = createSigner({ keyid: clientId, privateKey: keys.privateKey, nowMs });
  return { method, url, lines: Object.entries(signer.sign({ method, url }).headers) };
}

describe('a service without the setting', () => {
  const scene = apiForAll([]);

  for (const profile of profiles)
    test(`${profile.id}: rejects each request as it did before there were profiles`, async () => {
      const party = await addParty(scene.api, profile);
      for (const draft of [{}, { method: 'POST', body: '{}' }, { signature: { label: 'sig' } }]) {
        if (profile.select?.label !== undefined && 'signature' in draft) continue;
        const sent = await signed(party, draft);
        assert.equal(await codeFor(scene.api, sent), codeByClosed(sent));
      }
      for (const method of ['GET', 'DELETE'])
        assert.equal(await codeFor(scene.api, closed(party, method)), 'profile_not_accepted');
      assert.deepEqual(scene.api.received, []);
    });

  test('accepts its own clients', async () => {
    const answer = await scene.api.call('GET', '/orders/1');
    assert.equal(answer.status, 200);
    assert.deepEqual(scene.api.received.at(-1)!.values('countersign-profile'), []);
  });
});

describe('a service that accepts other profiles than the client’s', () => {
  const scene = apiForAll([curl822]);

  test('rejects its requests by its profile, by the accepted one and by the closed one', async () => {
    const party = await addParty(scene.api, fapi2Request01, 'ed25519');
    const codes = [
      await codeFor(scene.api, await signed(party)),
      await codeFor(scene.api, await signed(party, { profile: curl822 })),
      await codeFor(scene.api, closed(party)),
    ];
    assert.deepEqual(codes, Array(3).fill('profile_not_accepted'));
    assert.deepEqual(scene.api.received, []);
  });

  test('closed profile’s requests say what they say elsewhere', async () => {
    const party = await addParty(scene.api, { ...curl822, id: 'countersign' }, 'ed25519');
    const changes: readonly ((sent: Sent) => Sent)[] = [
      (sent) => ({ ...sent, lines: [] }),
      (sent) => ({ ...sent, lines: sent.lines.filter(([name]) => name !== 'Date') }),
      (sent) => ({ ...sent, lines: sent.lines.filter(([name]) => name !== 'Signature') }),
      (sent) => withLine(sent, 'Signature-Input', (input) => input.replace('sig=', 'sig=x')),
      (sent) => withLine(sent, 'Signature-Input', (input) => input.replace(' "date"', '')),
      (sent) => withLine(sent, 'Signature-Input', (input) => input.replace(/;created=\d+/, '')),
      (sent) => withLine(sent, 'Signature-Input', (input) => input.replace(/;created=\d+/, ';created=1')),
      (sent) => withLine(sent, 'Signature-Input', (input) => input.replace('"ed25519"', '"rot13"')),
      (sent) =>
        withLine(sent, 'Signature-Input', (input) => input.replace('"ed25519"', '"ecdsa-p256-sha256"')),
      (sent) => withLine(sent, 'Signature-Input', (input) => `${input};nonce="x"`),
    ];
    for (const change of changes) {
      const sent = change(closed(party));
      assert.equal(await codeFor(scene.api, sent), codeByClosed(sent), JSON.stringify(sent));
    }
    assert.equal(await codeFor(scene.api, closed(party)), 'accepted');
  });
});
