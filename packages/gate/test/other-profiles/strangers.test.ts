import assert from 'node:assert/strict';
import crypto, { createPublicKey, type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { before, describe, test } from 'node:test';
import { keyThumbprint, messageProfiles, signingKey } from '@countersign/signature/messages/node';
import { readRequestSignature } from '@countersign/signature/messages/request';
import { createSigner, signatureBaseLengthMax } from '@countersign/signature/node';
import { keyAlgorithmNames } from '@countersign/signature/rfc9421';
import { countCalls } from '@countersign/testing/counted-work';
import { nowMs } from '@countersign/testing/draft';
import { algorithmNames, type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import {
  addParty,
  algorithmsOf,
  answerTo,
  apiForAll,
  codeOf,
  definedOf,
  freshUrl,
  type Party,
  profiles,
  type Sent,
  signed,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * Whoever has no client's key learns nothing: not which clients exist, which keys and profiles they have.
 */

const { adcp32, agentPayments2025, curl822, gnap } = messageProfiles;
const scene = apiForAll();

/**
 * Runs some work and returns the kind of key of each operation with a public key in this process, in order. Without those over
 * nothing: a key does one when it is loaded, and that happens again a moment after its first use.
 */
async function operationsIn(work: () => Promise<unknown>): Promise<readonly string[]> {
  const operations: string[] = [];
  const { verify, publicDecrypt } = crypto;
  const note = (given: unknown): void => {
    const { asymmetricKeyType, asymmetricKeyDetails } = keyOf(given);
    operations.push([asymmetricKeyType, asymmetricKeyDetails?.namedCurve ?? []].flat().join(' '));
  };
  crypto.verify = ((...given: Parameters<typeof verify>) => {
    if (Buffer.from(given[1] as Uint8Array).length > 0) note(given[2]);
    return verify(...given);
  }) as typeof verify;
  crypto.publicDecrypt = (...given) => {
    note(given[0]);
    return publicDecrypt(...given);
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(crypto, { verify, publicDecrypt });
    syncBuiltinESMExports();
  }
  return operations;
}

function keyOf(given: unknown): KeyObject {
  const key = given as KeyObject | { readonly key: KeyObject };
  return 'key' in key ? key.key : key;
}

/** Everything that the sender can see, without what differs between any two requests. */
async function seen(sent: Sent): Promise<unknown> {
  let answer: Awaited<ReturnType<typeof answerTo>> | undefined;
  const operations = await operationsIn(async () => (answer = await answerTo(scene.api, sent)));
  const { status, headers, text } = answer!;
  const requestId = String(
    headers['countersign-request-id'] ?? (JSON.parse(text) as { requestId: string }).requestId,
  );
  const told = [JSON.stringify(headers), text].map((one) => one.replaceAll(requestId, 'request'));
  return { status, told: told.map((one) => one.replace(/"date":"[^"]*"/, '')), operations };
}

type Shape = (keyid: string, key: KeyPair) => Promise<Sent>;

const closedShape: Shape = async (keyid, { privateKey }) => {
  const url = freshUrl();
  const { headers } = createSigner({ keyid, privateKey, nowMs }).sign({ method: 'GET', url });
  return { method: 'GET', url, lines: Object.entries(headers) };
};

/** The names that a stranger can try: of clients, of their keys, and of nobody. */
let keyids: readonly string[];
let parties: readonly Party[];

const thumbprintOf = ({ publicKey }: KeyPair): Promise<string> => keyThumbprint(createPublicKey(publicKey));

async function assertAllAlike(shape: (keyid: string) => Promise<Sent>): Promise<Record<string, unknown>> {
  const first = await seen(await shape(keyids[0]!));
  for (const keyid of keyids) assert.deepEqual(await seen(await shape(keyid)), first, keyid);
  return first as Record<string, unknown>;
}

describe('a stranger sees the same for every keyid', () => {
  before(async () => {
    const closed = { ...curl822, id: 'countersign' };
    const added = [await addParty(scene.api, curl822), await addParty(scene.api, adcp32)];
    for (const algorithm of algorithmNames) added.push(await addParty(scene.api, closed, algorithm));
    for (const algorithm of algorithmsOf(gnap)) added.push(await addParty(scene.api, gnap, algorithm));
    added.push(await addParty(scene.api, agentPayments2025, 'PS256'));
    parties = added;
    const nobodys = makeKeyPairFor('ed25519');
    keyids = [
      'client_00000000000000000000000000',
      await thumbprintOf(nobodys),
      ...parties.map(({ clientId }) => clientId),
      ...(await Promise.all(parties.map(({ keys }) => thumbprintOf(keys)))),
    ];
  });

  for (const profile of profiles)
    for (const algorithm of algorithmsOf(profile))
      test(`by ${profile.id} with ${algorithm}`, async () => {
        const keys = makeKeyPairFor(algorithm);
        const key = signingKey(keys.privateKey, { algorithm });
        const party = { ...parties[0]!, profile, key, keys };
        const first = await assertAllAlike((keyid) => signed(party, { signature: { keyid } }));
        assert.equal(first['status'], 401);
        assert.ok((first['operations'] as readonly string[]).length >= 2);
      });

  for (const algorithm of algorithmNames)
    test(`by the closed profile with ${algorithm}`, async () => {
      const keys = makeKeyPairFor(algorithm);
      const first = await assertAllAlike((keyid) => closedShape(keyid, keys));
      assert.deepEqual(
        first['operations'],
        Array(2).fill(first['operations'] && (first['operations'] as string[])[0]),
      );
    });

  test('with a signature of a length that no key has, by an unknown algorithm, and without a signature', async () => {
    const [party] = parties;
    const changes: readonly ((sent: Sent) => Sent)[] = [
      (sent) => withLine(sent, 'Signature', (line) => line.replace(/:.*:/, ':AAAA:')),
      (sent) => withLine(sent, 'Signature', (line) => line.replace(/:.*:/, `:${'A'.repeat(2736)}:`)),
      (sent) => withLine(sent, 'Signature', () => undefined),
      (sent) => withLine(sent, 'Signature-Input', (line) => line.replace('"ed25519"', '"rsa-v1_5-sha256"')),
      (sent) => withLine(sent, 'Signature-Input', (line) => line.replace('"ed25519"', '"hmac-sha256"')),
      (sent) => withLine(sent, 'Signature-Input', (line) => line.replace('"@method"', '"x-none"')),
    ];
    for (const change of changes)
      await assertAllAlike(async (keyid) => change(await signed(party!, { signature: { keyid } })));
  });

  test('with a label or a tag that makes it look like the closed profile', async () => {
    const party = { ...parties[0]!, profile: messageProfiles.openPayments };
    const key = signingKey(makeKeyPairFor('ed25519').privateKey);
    await assertAllAlike((keyid) => signed({ ...party, key }, { signature: { keyid, label: 'sig' } }));
  });
});

describe('what a decision costs', () => {
  test('a request by the closed profile costs as much as without the setting: one operation', async () => {
    const keys = makeKeyPairFor('ed25519');
    const { clientId } = await scene.api.running.addClient({ roles: ['api-user'], keyPair: keys });
    const sent = await closedShape(clientId, keys);
    assert.deepEqual(await operationsIn(() => answerTo(scene.api, sent)), ['ed25519']);
    const next = await closedShape(clientId, keys);
    const other = await signed(await addParty(scene.api, curl822));
    const calls = await countCalls('messages/request-signature.ts', ['readRequestSignature'], async () => {
      assert.equal((await answerTo(scene.api, next)).status, 200);
      assert.equal((await answerTo(scene.api, other)).status, 200);
    });
    assert.deepEqual(
      calls,
      { readRequestSignature: 1 },
      'only the request by the other profile is read as one',
    );
  });

  test('without alg, each algorithm with signatures of that length is tried, twice at most', async () => {
    const party = await addParty(scene.api, gnap);
    const counts: Record<string, number> = {};
    for (const algorithm of keyAlgorithmNames) {
      const key = signingKey(makeKeyPairFor(algorithm).privateKey, { algorithm });
      const profile = { ...gnap, algorithms: [algorithm] };
      const sent = await signed({ ...party, profile, key }, { signature: { keyid: 'nobody' } });
      counts[algorithm] = (await operationsIn(() => answerTo(scene.api, sent))).length;
    }
    assert.deepEqual(counts, {
      'rsa-v1_5-sha256': 6,
      'rsa-pss-sha512': 6,
      PS256: 6,
      ed25519: 4,
      'ecdsa-p256-sha256': 4,
      'ecdsa-p384-sha384': 2,
    });
  });
});

describe('a signature base that is too long to verify', () => {
  /** A signed request whose signature base has exactly so many characters. */
  async function withBase(party: Party, length: number, keyid: string): Promise<Sent> {
    const url = freshUrl();
    const make = (value: string): Promise<Sent> =>
      signed(party, {
        url,
        lines: [['X-Long', value]],
        signature: { keyid, others: ['x-long'] },
      });
    const { lines } = await make('x');
    const head = { method: 'GET', targetUri: url, headers: lines };
    const read = readRequestSignature(head, [definedOf(party.profile)]);
    assert.ok('base' in read);
    return make('x'.repeat(length - read.base.length + 1));
  }

  test('is rejected before the key, for everyone, and the longest one is not', async () => {
    const party = await addParty(scene.api, curl822);
    const unknown = `${party.clientId.slice(0, -1)}_`;
    for (const keyid of [party.clientId, unknown]) {
      const longest = await answerTo(scene.api, await withBase(party, signatureBaseLengthMax, keyid));
      const isKnown = keyid === party.clientId;
      assert.equal(codeOf(longest), isKnown ? 'accepted' : 'signature_invalid');
      const longer = await withBase(party, signatureBaseLengthMax + 1, keyid);
      let answer: Awaited<ReturnType<typeof answerTo>> | undefined;
      const operations = await operationsIn(async () => (answer = await answerTo(scene.api, longer)));
      assert.deepEqual([codeOf(answer!), operations], ['components_invalid', []]);
      assert.match(answer!.text, /the signature base has 13613 characters, more than 13612: cover fewer/);
    }
  });
});
