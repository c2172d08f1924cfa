import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { nowSeconds } from '@countersign/testing/draft';
import {
  addParty,
  alsoSigned,
  apiForAll,
  codeFor,
  type Content,
  freshUrl,
  type Party,
  profiles,
  type Sent,
  signed,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * Requests with several signatures: one counts, or none.
 */

const { curl822, fapi2Request01, openPayments } = messageProfiles;

/** A signature that the profiles of the second service do not select, by another key. */
const byOthers = (label: string, more: Partial<Content> = {}): Content => ({
  label,
  components: ['"@method"', '"@target-uri"'],
  parameters: { created: nowSeconds, keyid: 'someone' },
  ...more,
});

/** Puts lines of the second signature before those of the first. */
function reversed(sent: Sent): Sent {
  return { ...sent, lines: sent.lines.toReversed() };
}

const ownMembers = (received: { values(name: string): readonly string[] }): string =>
  [...received.values('signature-input'), ...received.values('signature')].join();

describe('a service with profiles that select by label and by tag', () => {
  const scene = apiForAll([curl822, fapi2Request01]);
  const labels = ['countersign', 'sig', 'countersign2', 'other', '*'];

  for (const profile of [curl822, fapi2Request01])
    test(`${profile.id}: signatures that do not count change nothing, and none of ours leaves the gateway`, async () => {
      const party = await addParty(scene.api, profile);
      const stranger: Party = { ...party, key: (await addParty(scene.api, curl822)).key };
      for (const label of labels)
        for (const order of [(same: Sent) => same, reversed]) {
          const sent = order(await alsoSigned(await signed(party), stranger, byOthers(label)));
          assert.equal(await codeFor(scene.api, sent), 'accepted', label);
          const received = scene.api.received.at(-1)!;
          assert.doesNotMatch(ownMembers(received), /countersign/);
          assert.match(ownMembers(received), /sig1=/);
        }
    });

  test('one field line for both signatures: the line that imitates ours is not forwarded', async () => {
    const party = await addParty(scene.api, curl822);
    const both = await alsoSigned(await signed(party), party, byOthers('countersign'));
    const joined = (name: string): string =>
      both.lines
        .filter(([own]) => own === name)
        .map(([, value]) => value)
        .join(', ');
    const lines = both.lines.filter(([name]) => name !== 'Signature' && name !== 'Signature-Input');
    const sent: Sent = {
      ...both,
      lines: [...lines, ['Signature-Input', joined('Signature-Input')], ['Signature', joined('Signature')]],
    };
    assert.equal(await codeFor(scene.api, sent), 'accepted');
    assert.equal(ownMembers(scene.api.received.at(-1)!), '');
  });

  test('names of fields that servers confuse do not carry ours', async () => {
    const party = await addParty(scene.api, curl822);
    const sent = await signed(party);
    const forged = [
      ['Signature_Input', 'countersign=("@method");created=1'],
      ['Signature-input', 'countersign=()'],
      ['SIGNATURE', 'countersign=:AAAA:'],
    ] as const;
    assert.equal(await codeFor(scene.api, { ...sent, lines: [...forged, ...sent.lines] }), 'accepted');
    assert.doesNotMatch(JSON.stringify(scene.api.received.at(-1)!.rawHeaders), /countersign=/);
  });

  test('one signature that counts for one profile, and one for another: rejected', async () => {
    for (const profile of [curl822, fapi2Request01]) {
      const party = await addParty(scene.api, profile, 'ed25519');
      const url = freshUrl();
      const curl = await signed(party, { url, profile: curl822, key: party.key });
      const sent = await alsoSigned(
        curl,
        party,
        byOthers('other', {
          parameters: { created: nowSeconds, keyid: party.clientId, tag: 'fapi-2-request' },
        }),
      );
      assert.equal(await codeFor(scene.api, sent), 'signature_ambiguous');
    }
  });

  test('a label twice, in either field: rejected', async () => {
    const party = await addParty(scene.api, curl822);
    for (const name of ['Signature-Input', 'Signature']) {
      const sent = await signed(party);
      const line = sent.lines.find(([own]) => own === name)!;
      const twice = { ...sent, lines: [...sent.lines, line] };
      assert.equal(await codeFor(scene.api, twice), 'signature_malformed');
      const inOne = withLine(sent, name, (value) => `${value}, ${value}`);
      assert.equal(await codeFor(scene.api, inOne), 'signature_malformed');
    }
  });

  test('a member of the same label in one field alone, or of another type: rejected', async () => {
    const party = await addParty(scene.api, curl822);
    for (const [name, value] of [
      ['Signature', 'sig1=1'],
      ['Signature', 'other=:AAAA:'],
      ['Signature-Input', 'sig1=?1'],
      ['Signature-Input', 'sig1="@method"'],
    ] as const) {
      const code = await codeFor(
        scene.api,
        withLine(await signed(party), name, () => value),
      );
      assert.match(code, /^signature_(?:missing|malformed)$/, value);
    }
  });
});

describe('a service that accepts every profile', () => {
  const scene = apiForAll();
  const tagged = profiles.filter(({ select }) => select?.tag !== undefined);

  for (const profile of tagged)
    test(`${profile.id}: two signatures that both count are rejected`, async () => {
      const party = await addParty(scene.api, profile);
      const url = freshUrl();
      const first = await signed(party, { url, signature: { label: 'sig' } });
      const second = await signed(party, { url, signature: { label: 'sig1' } });
      const fields = second.lines.filter(([name]) => name === 'Signature' || name === 'Signature-Input');
      const sent = { ...first, lines: [...first.lines, ...fields] };
      assert.equal(await codeFor(scene.api, sent), 'signature_ambiguous');
      assert.equal(await codeFor(scene.api, reversed(sent)), 'signature_ambiguous');
      assert.equal(scene.api.received.filter(({ target }) => url.endsWith(target)).length, 0);
      assert.equal(await codeFor(scene.api, first), 'accepted');
    });

  test('an untagged second signature beside an untagged first one is rejected', async () => {
    const party = await addParty(scene.api, openPayments);
    for (const label of ['countersign', 'sig', 'other']) {
      const sent = await alsoSigned(await signed(party), party, byOthers(label));
      assert.equal(await codeFor(scene.api, sent), 'signature_ambiguous');
    }
  });

  test('a client’s own profile decides, not the one that its signature follows', async () => {
    const parties = await Promise.all(
      profiles
        .filter(({ algorithms }) => algorithms.includes('ed25519'))
        .map((profile) => addParty(scene.api, profile, 'ed25519')),
    );
    const passed: string[] = [];
    for (const party of parties)
      for (const { profile } of parties) {
        const code = await codeFor(scene.api, await signed(party, { profile }));
        if (code === 'accepted') passed.push(`${party.profile.id} by ${profile.id}`);
        else assert.match(code, /^(?:signature_not_selected|components_invalid|parameters_invalid)$/);
      }
    const own = parties.map(({ profile: { id } }) => `${id} by ${id}`);
    // Open Payments is GNAP with a tag or without.
    assert.deepEqual(passed.toSorted(), [...own, 'open-payments-1.4 by gnap-rfc9635'].toSorted());
  });
});
