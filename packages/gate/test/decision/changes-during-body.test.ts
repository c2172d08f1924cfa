import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LocalRegistry } from '@countersign/server/local-registry';
import { type Draft, nowMs, paymentDraft, requestOf } from '@countersign/testing/draft';
import { openConnection, type RawAnswer } from '@countersign/testing/raw-connection';
import { publishedKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';

/*
 * A body may take half a minute to arrive. The decision on the head is repeated if the registry has changed
 * by then. `Expect: 100-continue` tells the test that the head has been admitted.
 */

const pair = publishedKeyPair('rsa-2048-a');
const otherPair = publishedKeyPair('rsa-2048-b');

let running: RunningService;
let clientId: string;
let otherId: string;

before(async () => {
  running = await runService({}, { nowMs });
  ({ clientId } = await running.addClient({ keyPair: pair }));
  ({ clientId: otherId } = await running.addClient({ keyPair: otherPair }));
});
after(() => running.close());

const draftOf = (): Draft =>
  paymentDraft(clientId, {
    privateKey: pair.privateKey,
    headers: { Expect: '100-continue', 'Content-Type': 'application/json' },
  });

/** Sends the head, does something when it is admitted, then sends the body. */
async function sendAround(draft: Draft, between: () => Promise<void>): Promise<RawAnswer> {
  const connection = await openConnection(running.port);
  const { head, body } = requestOf(draft);
  connection.write(head);
  assert.equal((await connection.answer()).status, 100);
  await between();
  connection.write(body);
  const answer = await connection.answer();
  connection.cut();
  return answer;
}

describe('while the body comes', () => {
  const changes: [
    string,
    string,
    (registry: LocalRegistry) => Promise<unknown>,
    (registry: LocalRegistry) => Promise<unknown>,
  ][] = [
    [
      'the client is disabled',
      'client_disabled',
      (registry) => registry.disableClient(clientId),
      (registry) => registry.enableClient(clientId),
    ],
    [
      'its network is changed',
      'network_not_allowed',
      (registry) => registry.setNetwork(clientId, [{ entry: '192.0.2.1' }]),
      (registry) => registry.setNetwork(clientId, [{ entry: '0.0.0.0' }]),
    ],
    [
      'its role is taken away',
      'permission_denied',
      (registry) => registry.setRoles(clientId, []),
      (registry) => registry.setRoles(clientId, ['payments-operator']),
    ],
  ];
  for (const [what, code, change, changeBack] of changes) {
    test(`${what}: ${code}, and nothing is remembered`, async () => {
      const draft = draftOf();
      const answer = await sendAround(draft, () => running.change(change));
      assert.equal(codeOf(answer), code);
      await running.change(changeBack);
      assert.equal(codeOf(await sendAround(draft, async () => undefined)), '201');
    });
  }

  test('another client is disabled: accepted', async () => {
    const answer = await sendAround(draftOf(), () =>
      running.change((registry) => registry.disableClient(otherId)),
    );
    assert.equal(codeOf(answer), '201');
  });

  test('a key is added: accepted', async () => {
    const { publicKey } = publishedKeyPair('rsa-3072-a');
    const answer = await sendAround(draftOf(), () =>
      running.change((registry) => registry.addKey(clientId, publicKey)),
    );
    assert.equal(codeOf(answer), '201');
  });

  test('the same request is accepted on another connection: a replay', async () => {
    const draft = draftOf();
    const quick = { ...draft, headers: { 'Content-Type': 'application/json' } };
    const answer = await sendAround(draft, async () => {
      assert.equal(codeOf(await sendDraft(running, quick)), '201');
    });
    assert.equal(codeOf(answer), 'signature_replayed');
  });

  test('the key is revoked: signature_invalid', async () => {
    const answer = await sendAround(draftOf(), () =>
      running.change(async (registry) => {
        const { keys } = await registry.showClient(clientId);
        await registry.revokeKey(clientId, keys.find(({ bits }) => bits === 2048)!.keyId);
      }),
    );
    assert.equal(codeOf(answer), 'signature_invalid');
  });
});
