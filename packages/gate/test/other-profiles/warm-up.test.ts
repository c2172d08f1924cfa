import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, test } from 'node:test';
import { NetworkWhitelist, parseAddress } from '@countersign/contract/network';
import {
  defineProfile,
  keyThumbprint,
  messageProfiles,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { createVerificationKey } from '@countersign/signature/node';
import { rulesFrom } from '@countersign/signature/profile';
import { nowMs, nowSeconds } from '@countersign/testing/draft';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { admitClient, type RegisteredClient, type RequestHead } from '../../src/index.ts';

/*
 * A service with very many clients loads them while it serves. A client that is not loaded yet is waited for.
 */

const profile = defineProfile(messageProfiles.openPayments);
const keys = makeKeyPairFor('ed25519');
const thumbprint = await keyThumbprint(createPublicKey(keys.publicKey));
const client: RegisteredClient = {
  clientId: 'shop',
  accountId: 'account_1',
  name: 'Shop',
  status: 'active',
  profile: profile.profile.id,
  allowExplanations: false,
  keys: [
    {
      ...createVerificationKey(keys.publicKey),
      keyId: 'key_1',
      fingerprint: 'SHA256:1',
      isPending: false,
      endsAtMs: undefined,
    },
  ],
  network: NetworkWhitelist.fromTexts(['0.0.0.0']),
  roles: [],
  permissions: new Set(),
};

const method = 'GET';
const targetUri = 'https://shop.example.test/orders';

async function headSigned(keyid: string, label: string, key = keys): Promise<RequestHead> {
  const { headers } = await signMessage(
    { method, targetUri, headers: [] },
    { profile, key: signingKey(key.privateKey), keyid, label, created: nowSeconds },
  );
  return {
    ok: true,
    door: { find: () => assert.fail('no door is asked') },
    method,
    targetUri,
    target: '/orders',
    path: '/orders',
    query: '',
    hasBody: false,
    contentLength: undefined,
    requestId: 'request_1',
    rawHeaders: Object.entries(headers).flat(),
    source: { text: '192.0.2.1', address: parseAddress('192.0.2.1') },
    receivedAtMs: nowMs(),
  } as RequestHead;
}

/** Returns the code of a rejection, or `admitted`, with the names that were read first. */
async function codeOf(head: RequestHead, readsAll: boolean): Promise<readonly [string, ...string[]]> {
  const reads: string[] = [];
  let isReading = true;
  let isUnread = true;
  const admission = await admitClient(
    head,
    { requirement: undefined, parameters: {}, answer: () => assert.fail('nothing is answered') },
    {
      registry: {
        clientById: (keyid) => (keyid === client.clientId && !isUnread ? client : undefined),
        clientByKeyName: (keyid) => (keyid === thumbprint && !isReading ? client : undefined),
        isReading: () => isReading,
        isUnread: (keyid) => keyid === client.clientId && isUnread,
        read: async (keyid) => {
          reads.push(keyid);
          if (readsAll || keyid === client.clientId) isUnread = false;
          if (readsAll) isReading = false;
        },
        isFresh: () => true,
        refresh: () => assert.fail('storage is fresh'),
      },
      guard: { use: () => undefined },
      rules: rulesFrom({}),
      otherProfiles: new Map([[profile.profile.id, profile]]),
    },
  );
  return [admission.ok ? 'admitted' : admission.code, ...reads];
}

describe('while clients are loaded', () => {
  const strangers = makeKeyPairFor('ed25519');

  for (const label of ['sig1', 'sig'])
    test(`a client that calls by its ID is read first, with the label ${label}`, async () => {
      assert.deepEqual(await codeOf(await headSigned('shop', label), false), ['admitted', 'shop']);
    });

  test('a stranger waits as long, by the ID of a client and by any other name', async () => {
    for (const keyid of ['shop', 'nobody'])
      assert.deepEqual(await codeOf(await headSigned(keyid, 'sig1', strangers), false), [
        'signature_invalid',
        keyid,
      ]);
  });

  test('a thumbprint names nobody yet: whoever sends one is asked to come again', async () => {
    const nobodys = await keyThumbprint(createPublicKey(strangers.publicKey));
    const heads = [
      await headSigned(thumbprint, 'sig1'),
      await headSigned(thumbprint, 'sig1', strangers),
      await headSigned(nobodys, 'sig1', strangers),
    ];
    for (const head of heads) {
      const [code] = await codeOf(head, false);
      assert.equal(code, 'registry_stale');
    }
    assert.equal((await codeOf(heads[0]!, true))[0], 'admitted');
    assert.equal((await codeOf(heads[1]!, true))[0], 'signature_invalid');
    assert.equal((await codeOf(heads[2]!, true))[0], 'signature_invalid');
  });
});
