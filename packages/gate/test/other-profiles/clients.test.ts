import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, test } from 'node:test';
import { keyThumbprint, messageProfiles, signingKey } from '@countersign/signature/messages/node';
import { createSigner } from '@countersign/signature/node';
import { nowMs } from '@countersign/testing/draft';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import {
  addParty,
  answerTo,
  apiForAll,
  codeFor,
  type Draft,
  freshUrl,
  type Party,
  profiles,
  type Sent,
  signed,
} from '@countersign/testing/profiled-requests';

/*
 * Which client a request is from, and what that client may do.
 */

const { curl822, openPayments, webBotAuth01 } = messageProfiles;
const scene = apiForAll();

const thumbprintOf = ({ publicKey }: Pick<KeyPair, 'publicKey'>): Promise<string> =>
  keyThumbprint(createPublicKey(publicKey));

async function byThumbprint(party: Party, draft: Draft = {}): Promise<Sent> {
  return signed(party, { ...draft, signature: { keyid: await thumbprintOf(party.keys) } });
}

/** The same client with another key of Ed25519. */
function withKey(party: Party, keys: KeyPair): Party {
  return { ...party, keys, key: signingKey(keys.privateKey) };
}

/** Signs by the closed profile. */
function closed(keys: KeyPair, keyid: string): Sent {
  const url = freshUrl();
  const { headers } = createSigner({ keyid, privateKey: keys.privateKey, nowMs }).sign({
    method: 'GET',
    url,
  });
  return { method: 'GET', url, lines: Object.entries(headers) };
}

describe('keyid', () => {
  for (const profile of profiles)
    test(`${profile.id}: is the client ID, or the thumbprint of a key`, async () => {
      const party = await addParty(scene.api, profile);
      assert.equal(await codeFor(scene.api, await signed(party)), 'accepted');
      assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'accepted');
      assert.deepEqual(scene.api.received.at(-1)!.values('countersign-client-id'), [party.clientId]);
    });

  test('a thumbprint of a client with the closed profile finds nobody', async () => {
    const keyPair = makeKeyPairFor('ed25519');
    const { clientId } = await scene.api.running.addClient({ roles: ['api-user'], keyPair });
    assert.equal(await codeFor(scene.api, closed(keyPair, clientId)), 'accepted');
    const thumbprint = await thumbprintOf(keyPair);
    assert.equal(await codeFor(scene.api, closed(keyPair, thumbprint)), 'signature_invalid');
    const party = withKey(await addParty(scene.api, curl822), keyPair);
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'signature_invalid');
  });

  test('the closed shape names nobody by a thumbprint, whatever the client’s profile', async () => {
    const party = await addParty(scene.api, curl822);
    const thumbprint = await thumbprintOf(party.keys);
    assert.equal(await codeFor(scene.api, closed(party.keys, thumbprint)), 'signature_invalid');
  });

  test('a fingerprint, a thumbprint with padding, or in another case is nobody', async () => {
    const party = await addParty(scene.api, curl822);
    const thumbprint = await thumbprintOf(party.keys);
    for (const keyid of [`${thumbprint}=`, thumbprint.toUpperCase(), ` ${thumbprint}`, thumbprint.slice(1)]) {
      const sent = await signed(party, { signature: { keyid } });
      const code = await codeFor(scene.api, sent);
      assert.match(code, /^(?:signature_invalid|parameters_invalid)$/);
    }
  });

  test('a client whose ID is the thumbprint of another one’s key is not taken for it', async () => {
    const party = await addParty(scene.api, webBotAuth01);
    const clientId = await thumbprintOf(party.keys);
    const thief = await addParty(scene.api, webBotAuth01, 'ed25519', { clientId });
    assert.equal(await codeFor(scene.api, await signed(thief)), 'signature_invalid');
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'accepted');
    assert.deepEqual(scene.api.received.at(-1)!.values('countersign-client-id'), [party.clientId]);
  });
});

describe('keys', () => {
  test('during a rollover, both keys sign, each by its own thumbprint and by the client ID', async () => {
    const party = await addParty(scene.api, curl822);
    const next = withKey(party, makeKeyPairFor('ed25519'));
    assert.equal(await codeFor(scene.api, await signed(next)), 'signature_invalid');
    await scene.api.running.change((registry) => registry.addKey(party.clientId, next.keys.publicKey));
    for (const one of [next, party, next])
      for (const sent of [await signed(one), await byThumbprint(one)])
        assert.equal(await codeFor(scene.api, sent), 'accepted');
    const mixed = await signed(party, { signature: { keyid: await thumbprintOf(next.keys) } });
    assert.equal(await codeFor(scene.api, mixed), 'accepted', 'a thumbprint names the client');
  });

  test('a revoked key signs nothing more, by either name', async () => {
    const party = await addParty(scene.api, curl822);
    await scene.api.running.change(async (registry) => {
      const { keys } = await registry.showClient(party.clientId);
      await registry.revokeKey(party.clientId, keys[0]!.keyId);
    });
    assert.equal(await codeFor(scene.api, await signed(party)), 'signature_invalid');
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'signature_invalid');
  });

  test('a revoked client is nobody, by either name', async () => {
    const party = await addParty(scene.api, curl822);
    await scene.api.running.change((registry) => registry.revokeClient(party.clientId));
    assert.equal(await codeFor(scene.api, await signed(party)), 'signature_invalid');
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'signature_invalid');
  });
});

describe('what is known about the client', () => {
  test('applies by either name: its state, its network, its roles', async () => {
    const party = await addParty(scene.api, curl822);
    const codes = async (): Promise<readonly string[]> => [
      await codeFor(scene.api, await signed(party)),
      await codeFor(scene.api, await byThumbprint(party)),
    ];
    const { running } = scene.api;
    const twice = (code: string): readonly string[] => [code, code];
    await running.change((registry) => registry.disableClient(party.clientId));
    assert.deepEqual(await codes(), twice('client_disabled'));
    await running.change(async (registry) => {
      await registry.enableClient(party.clientId);
      await registry.setNetwork(party.clientId, [{ entry: '192.0.2.1' }]);
    });
    assert.deepEqual(await codes(), twice('network_not_allowed'));
    await running.change(async (registry) => {
      await registry.setNetwork(party.clientId, [{ entry: '0.0.0.0' }]);
      await registry.setRoles(party.clientId, []);
    });
    assert.deepEqual(await codes(), twice('permission_denied'));
    await running.change((registry) => registry.setRoles(party.clientId, ['api-user']));
    assert.deepEqual(await codes(), twice('accepted'));
  });

  test('its profile is told before its state, its network and its roles', async () => {
    const party = await addParty(scene.api, curl822, 'ed25519', { network: ['192.0.2.1'], roles: [] });
    const sent = await signed(party, { profile: webBotAuth01 });
    assert.equal(await codeFor(scene.api, sent), 'parameters_invalid');
  });
});

describe('the closed profile', () => {
  test('a client that has it cannot sign by another shape, with any of its keys', async () => {
    for (const profile of profiles) {
      const [algorithm] = profile.algorithms.includes('ed25519')
        ? (['ed25519'] as const)
        : (['ecdsa-p256-sha256'] as const);
      const keyPair = makeKeyPairFor(algorithm);
      const party = await addParty(scene.api, { ...profile, id: 'countersign' }, algorithm, { keyPair });
      const code = await codeFor(scene.api, await signed(party, { profile }));
      assert.match(
        code,
        /^(?:components_invalid|signature_malformed|parameters_invalid|signature_missing)$/,
        profile.id,
      );
      assert.equal(await codeFor(scene.api, closed(keyPair, party.clientId)), 'accepted');
    }
  });

  test('a client with another profile cannot sign by the closed shape', async () => {
    for (const profile of profiles) {
      const party = await addParty(scene.api, profile);
      const code = await codeFor(scene.api, closed(party.keys, party.clientId));
      if (profile === openPayments) {
        // Covers more than it must, has no tag, and may have any label: it is a signature of Open Payments.
        assert.equal(code, 'accepted');
        assert.deepEqual(scene.api.received.at(-1)!.values('countersign-profile'), [profile.id]);
      } else
        assert.match(code, /^(?:signature_not_selected|components_invalid|parameters_invalid)$/, profile.id);
    }
  });

  test('a signature of another profile than the client’s is told which the client has', async () => {
    const party = await addParty(scene.api, curl822);
    const answer = await answerTo(scene.api, closed(party.keys, party.clientId));
    const { code, reason, detail } = answer.json();
    assert.equal(code, 'signature_not_selected');
    assert.match(
      String(reason),
      /registered for the profile curl-8\.22, and no signature has the label "sig1"/,
    );
    assert.match(String(detail), /the client's profile selects/);
    assert.match(
      String(answer.headers['accept-signature']),
      /^sig1=\("@method" "@authority" "@path" "@query"\)/,
    );
  });
});

// Last: with a second account, the clients above would have to name theirs.
describe('several accounts', () => {
  test('a key of two accounts is nobody’s by its thumbprint, until one of them revokes it or cannot call', async () => {
    const party = await addParty(scene.api, webBotAuth01);
    let otherId = '';
    await scene.api.running.change(async (registry) => {
      const { accountId } = await registry.addAccount('Copycat');
      const { publicKey } = party.keys;
      const network = [{ entry: '0.0.0.0' }];
      const client = { name: 'Copy', accountId, publicKey, network, roles: [], profile: curl822.id };
      ({ clientId: otherId } = await registry.addClient(client));
    });
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'signature_invalid');
    assert.equal(await codeFor(scene.api, await signed(party)), 'accepted');
    await scene.api.running.change((registry) => registry.disableClient(otherId));
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'accepted');
    await scene.api.running.change((registry) => registry.enableClient(otherId));
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'signature_invalid');
    await scene.api.running.change(async (registry) => {
      const { keys } = await registry.showClient(otherId);
      await registry.revokeKey(otherId, keys[0]!.keyId);
    });
    assert.equal(await codeFor(scene.api, await byThumbprint(party)), 'accepted');
  });
});
