import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { defineProfile, verifyingKey, verifyMessage } from '@countersign/signature/messages/node';
import { checkChain } from './check-chain.ts';
import { keep } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';

for (const backend of backends) {
  describe(`a stream of the audit log on ${backend.name}`, { skip: backend.skip }, () => {
    let on: StreamScene;
    before(async () => {
      on = await streamScene(backend);
    });
    after(() => on.close());
    afterEach(() => {
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
    });

    /** Everything that the service has of its audit log. */
    const eventIds = async (): Promise<string[]> => {
      const database = await on.scene.database();
      const rows = await database.selectFrom('audit_events').select('event_id').orderBy('version').execute();
      return rows.map((row) => row.event_id);
    };
    const isComplete = async (): Promise<void> => {
      const ids = new Set(on.receiver.lines().map(({ id }) => id));
      assert.deepEqual([...ids], await eventIds());
      assert.equal(checkChain(on.receiver.lines()), ids.size);
    };

    test('sends every event since the beginning, in the order of the changes, each with its link', async () => {
      for (let count = 0; count < 3; count += 1) await on.addClient();
      await on.send();
      await isComplete();
      const last = on.receiver.lines().at(-1)!;
      const shown = await on.scene.succeed(on.scene.administrator, 'getAuditEvent', {
        path: { eventId: last.id },
      });
      assert.deepEqual(last.record, shown);
    });

    test('sends nothing again, and nothing when nothing has happened', async () => {
      const { length } = on.receiver.batches;
      await on.send();
      assert.equal(on.receiver.batches.length, length);
    });

    test('a batch is signed with the published key, and says its positions and the head of the chain', async () => {
      await on.addClient();
      await on.send();
      const { headers, body } = on.receiver.batches.at(-1)!;
      const { position, hash } = on.receiver.lines().at(-1)!;
      assert.equal(headers['content-type'], 'application/x-ndjson');
      assert.equal(headers['countersign-last-position'], String(position));
      assert.equal(headers['countersign-chain-head'], hash);
      assert.equal(headers['webhook-id'], `siem.audit.${position}-${position}`);
      const directory = await on.scene.running.send({
        method: 'GET',
        url: '/.well-known/http-message-signatures-directory',
      });
      const { keys } = directory.json() as { keys: { kid: string; kty: string; crv: string; x: string }[] };
      const verified = await verifyMessage(
        {
          method: 'POST',
          targetUri: `${on.receiver.origin}/audit`,
          headers: Object.entries(headers),
          body: Buffer.from(body),
        },
        {
          profile: webhookProfile,
          keysFor: ({ keyid }) =>
            keys.filter(({ kid }) => kid === keyid).map(({ kty, crv, x }) => verifyingKey({ kty, crv, x })),
          nowSeconds: () => Math.floor(on.scene.nowMs() / 1000),
        },
      );
      assert.equal(verified.ok, true, JSON.stringify(verified));
    });

    test('a batch that the receiver reads and then fails with 500 is sent again under the same ID', async () => {
      await on.addClient();
      on.receiver.answer = (response) => void response.writeHead(500).end();
      await on.send();
      const lost = on.receiver.batches.at(-1)!;
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
      await on.send();
      assert.equal(on.receiver.batches.at(-1), lost, 'there is a pause');
      await on.send(2000);
      assert.equal(on.receiver.batches.at(-1)!.headers['webhook-id'], lost.headers['webhook-id']);
      await isComplete();
    });

    test('a receiver that answers too late gets the batch again, and its copy stays complete', async () => {
      await on.addClient();
      const late: (() => void)[] = [];
      on.receiver.answer = (response, batch) => late.push(() => keep(on.receiver, response, batch));
      const sending = on.send();
      await waitUntil(() => late.length === 1, 'the receiver has it');
      on.timers.expire();
      await sending;
      late[0]!();
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
      await on.send(2000);
      await isComplete();
      assert.equal(on.receiver.lines().at(-1)!.id, on.receiver.lines().at(-2)!.id);
    });

    test('a receiver that hangs up after a part of the answer gets the batch again', async () => {
      await on.addClient();
      on.receiver.answer = (response) => response.socket!.destroy();
      await on.send();
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
      await on.send(2000);
      await isComplete();
    });

    test('after an hour away, a receiver gets everything that happened meanwhile', async () => {
      on.receiver.answer = (response) => response.socket!.destroy();
      for (let minute = 0; minute < 60; minute += 6) {
        await on.addClient();
        await on.send(360_000);
      }
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
      await on.send(60_000 * 1.1);
      await isComplete();
    });

    test('Retry-After is obeyed', async () => {
      await on.addClient();
      on.receiver.answer = (response) => void response.writeHead(429, { 'Retry-After': '600' }).end();
      await on.send();
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
      const { length } = on.receiver.batches;
      await on.send(590_000);
      assert.equal(on.receiver.batches.length, length);
      await on.send(11_000);
      await isComplete();
    });

    test('a record that was removed from the service is still proved by its link', async () => {
      await on.addClient();
      await on.send();
      const database = await on.scene.database();
      const { id } = on.receiver.lines().at(-1)!;
      await on.addClient();
      await database.deleteFrom('audit_events').where('event_id', '=', id).execute();
      await database.updateTable('stream_cursors').set({ position: 0 }).execute();
      on.receiver.kept.length = 0;
      await on.send();
      const removed = on.receiver.lines().find((line) => line.id === id);
      assert.equal(removed?.record, undefined);
      assert.ok(removed !== undefined && checkChain(on.receiver.lines()) > removed.position);
    });
  });
}

const webhookProfile = defineProfile({
  id: 'countersign-webhook',
  title: 'Webhooks',
  message: 'request',
  select: { tag: 'countersign-webhook' },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: 'content-digest' },
      { identifier: 'content-type' },
      { identifier: 'webhook-id' },
    ],
    others: 'none',
  },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519'],
  time: { maxAgeSeconds: 240, maxFutureSeconds: 30, maxLifeSeconds: 240 },
  replay: 'off',
  digests: ['sha-256'],
});
