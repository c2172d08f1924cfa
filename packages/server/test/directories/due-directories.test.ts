import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { AuditEvent, ClientDirectory } from '@countersign/contract';
import { messageProfiles } from '@countersign/signature/messages/node';
import { backends } from '@countersign/testing/backends';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import { startUpkeep } from '../../src/registry/upkeep.ts';
import {
  anywhere,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementScene,
} from '../management/scene.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import { openScene, type Scene, serve, serveBytes } from './scene.ts';

/* When directories are fetched: on demand, after failures, each in its turn; and what stays of their keys. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Directories are fetched only when a test says so. */
const never = 2 ** 31 - 1;
const { webBotAuth01 } = messageProfiles;

for (const backend of backends) {
  describe(
    `directories that are due on ${backend.name}`,
    { skip: backend.skip || skipWithoutOpenssl },
    () => {
      let network: Scene;
      let scene: ManagementScene;
      let random = 0;
      before(async () => {
        network = await openScene();
        scene = await managementScene(backend, {
          settings: { COUNTERSIGN_PROFILES: webBotAuth01.id },
          overrides: {
            directories: { means: network.means, deadline: () => new AbortController().signal },
            directoriesEveryMs: never,
            directoriesRandom: () => random,
          },
        });
      });
      after(async () => {
        await scene.close();
        await network.close();
      });
      let urls = 0;
      let url = '';
      beforeEach(() => {
        random = 0;
        network.reset();
        url = `https://agent${++urls}.agents.example/keys.json`;
      });
      const added: { readonly clientId: string; readonly by: Caller }[] = [];
      afterEach(async () => {
        for (const { clientId, by } of added.splice(0))
          await scene.succeed(by, 'revokeClient', { path: { clientId } });
      });

      const publish = (...keys: readonly KeyPair[]): void => {
        const jwks = keys.map(({ publicKey }) => createPublicKey(publicKey).export({ format: 'jwk' }));
        network.answer = serve({ keys: jwks }, { 'Cache-Control': 'max-age=300' });
      };
      const newKeys = (): KeyPair => makeKeyPairFor('ed25519');
      const follow = (): Promise<void> => scene.running.service.followDirectories();
      const followIn = async (ms: number): Promise<void> => {
        scene.clock.aheadMs += ms;
        await follow();
      };
      const add = async (directoryUrl = url, by = scene.administrator): Promise<Client> => {
        const client = await scene.succeed<Client>(by, 'addClient', {
          body: { name: 'Agent', networkWhitelist: anywhere, profile: webBotAuth01.id, directoryUrl },
        });
        added.push({ clientId: client.clientId, by });
        return client;
      };
      const get = ({ clientId }: Pick<Client, 'clientId'>): Promise<Client> =>
        scene.succeed<Client>(scene.administrator, 'getClient', { path: { clientId } });
      const hosts = (): readonly string[] =>
        network.requests.map((head) => /Host: ([a-z0-9]+)/.exec(head)?.[1] ?? '');

      test('a refresh makes a directory due at once, at most once a minute, and is recorded', async () => {
        publish(newKeys());
        const { clientId } = await add();
        await follow();
        publish(newKeys());
        scene.clock.aheadMs += minuteMs;
        const path = { clientId };
        const directory = await scene.succeed<ClientDirectory>(scene.administrator, 'refreshDirectory', {
          path,
        });
        assert.ok(Date.parse(directory.nextAttemptAt) <= scene.nowMs());
        assert.ok(Date.parse(directory.lastAttemptAt!) <= scene.nowMs() - minuteMs);
        assert.equal(network.requests.length, 1, 'the answer does not wait for the fetch');
        const { answer } = await scene.refused(
          scene.administrator,
          'refreshDirectory',
          { path },
          'rate_limited',
        );
        assert.ok(Number(answer.headers['retry-after']) > 0 && Number(answer.headers['retry-after']) <= 60);
        await follow();
        assert.equal(network.requests.length, 2);
        const shown = await get({ clientId });
        assert.ok(Date.parse(shown.directory!.nextAttemptAt) > scene.nowMs());
        scene.clock.aheadMs += minuteMs;
        await scene.succeed(scene.administrator, 'refreshDirectory', { path });
        const { data } = await scene.succeed<Data<AuditEvent>>(scene.administrator, 'listAuditEvents', {
          query: `clientId=${clientId}`,
        });
        assert.equal(data.filter(({ action }) => action === 'client.directory_refreshed').length, 2);
      });

      test('a refresh takes the permission to change keys, and a directory', async () => {
        const { clientId } = await add();
        const path = { clientId };
        const reader = await scene.addCaller(['auditor']);
        await scene.refused(reader, 'refreshDirectory', { path }, 'permission_denied');
        await scene.refused(await scene.addAccount(), 'refreshDirectory', { path }, 'not_found');
        const own = await scene.addCaller(['key-rotator']);
        await scene.refused(own, 'refreshDirectory', { path }, 'permission_denied');
        const { reason } = await scene.refused(
          own,
          'refreshDirectory',
          { path: { clientId: own.clientId } },
          'client_state_conflict',
        );
        assert.match(reason, /no directory/);
      });

      test('a refresh that is asked for during a fetch is not lost', async () => {
        publish(newKeys());
        const { clientId } = await add();
        const second = serve({ keys: [] });
        network.answer = (socket, head) => {
          network.answer = second;
          const asked = scene.succeed(scene.administrator, 'refreshDirectory', { path: { clientId } });
          void asked.then(() => {
            scene.clock.aheadMs += 1;
            publish(newKeys());
            network.answer(socket, head);
          });
        };
        await follow();
        assert.equal(network.requests.length, 2);
      });

      test('a directory that fails is left alone for longer each time, up to an hour, until it answers', async () => {
        const client = await add();
        network.answer = serveBytes(Buffer.from('{}'), {}, 503);
        const pauses = async (): Promise<number> => {
          await follow();
          const { directory } = await get(client);
          const atMs = Date.parse(directory!.nextAttemptAt);
          const pauseMs = atMs - Date.parse(directory!.lastAttemptAt!);
          const fetches = network.requests.length;
          scene.clock.aheadMs += atMs - scene.nowMs() - 1000;
          await follow();
          assert.equal(network.requests.length, fetches);
          scene.clock.aheadMs += 1000;
          return pauseMs / minuteMs;
        };
        for (const minutes of [5, 10, 20, 40, 60, 60]) assert.equal(await pauses(), minutes);
        random = 1;
        assert.equal(await pauses(), 66);
        publish(newKeys());
        await follow();
        assert.equal((await get(client)).directory?.problem, null);
        network.answer = serveBytes(Buffer.from('{}'), {}, 503);
        random = 0;
        scene.clock.aheadMs += 5 * minuteMs;
        assert.equal(await pauses(), 5);
      });

      test('an origin with many slow directories, and an account with many, keep nobody waiting', async () => {
        const slow = await scene.addAccount();
        const held: (() => void)[] = [];
        const document = Buffer.from('{"keys":[]}');
        let most = 0;
        network.answer = (socket, head) => {
          const answer = (): void => serveBytes(document)(socket, head);
          if (!head.includes('Host: slow')) return answer();
          held.push(answer);
          most = Math.max(most, held.length);
        };
        for (let index = 0; index < 12; index++) await add(`https://slow.agents.example/${index}`, slow);
        for (let index = 0; index < 4; index++) await add(`https://many${index}.agents.example/`, slow);
        scene.clock.aheadMs += 1000;
        const others = await Promise.all([scene.addAccount(), scene.addAccount(), scene.addAccount()]);
        for (const [index, by] of others.entries()) await add(`https://other${index}.agents.example/`, by);
        const followed = follow();
        const isServed = (name: string): boolean => hosts().some((host) => host.startsWith(name));
        await waitUntil(
          () => ['other0', 'other1', 'other2'].every(isServed) && held.length === 2,
          'the other accounts',
        );
        await waitUntil(() => ['many0', 'many1', 'many2', 'many3'].every(isServed), 'the other origins');
        await waitUntil(() => {
          held.shift()?.();
          return hosts().filter((host) => host === 'slow').length === 12;
        }, 'the slow origin');
        for (const answer of held.splice(0)) answer();
        await followed;
        assert.equal(most, 2);
        // Among the first eight, which are fetched at the same time, so in any order.
        const last = hosts().findLastIndex((host) => host.startsWith('other'));
        assert.ok(last < 8, hosts().join());
      });

      const rows = async (clientId: string): Promise<readonly string[]> =>
        (
          await (
            await scene.database()
          )
            .selectFrom('client_keys')
            .select('status')
            .where('client_id', '=', clientId)
            .execute()
        ).map(({ status }) => status);

      test('a directory that replaces its keys again and again leaves a limited number of rows', async () => {
        const { clientId } = await add();
        for (let round = 0; round < 13; round++) {
          publish(...Array.from({ length: 10 }, newKeys));
          await followIn(5 * minuteMs);
        }
        const statuses = await rows(clientId);
        assert.equal(statuses.filter((status) => status === 'active').length, 10);
        assert.equal(statuses.filter((status) => status === 'expired').length, 100);
      });

      test('keys that a directory replaced are deleted after 30 days; revoked and registered ones stay', async () => {
        const [revoked, kept, registered] = [newKeys(), newKeys(), newKeys()];
        const client = await scene.succeed<Client>(scene.administrator, 'addClient', {
          body: {
            name: 'Agent',
            networkWhitelist: anywhere,
            profile: webBotAuth01.id,
            publicKey: registered.publicKey,
          },
        });
        const { clientId } = client;
        added.push({ clientId, by: scene.administrator });
        await scene.succeed(scene.administrator, 'updateClient', {
          path: { clientId },
          headers: { 'If-Match': '*' },
          body: { directoryUrl: url },
        });
        publish(revoked, newKeys());
        await follow();
        const fingerprint = (await get(client)).keys.find(
          ({ fingerprint: text }) => text !== undefined,
        )!.keyId;
        await scene.succeed(scene.administrator, 'revokeKey', {
          path: { clientId, keyId: fingerprint },
          body: { reason: 'superseded' },
        });
        publish(kept);
        await followIn(5 * minuteMs);
        assert.deepEqual([...(await rows(clientId))].toSorted(), ['active', 'expired', 'expired', 'revoked']);
        const upkeep = startUpkeep({
          database: await scene.database(),
          nowMs: scene.nowMs,
          followChange: async () => undefined,
          onError: (error) => assert.fail(String(error)),
          everyMs: never,
        });
        scene.clock.aheadMs += 29 * dayMs;
        await upkeep.run();
        assert.equal((await rows(clientId)).length, 4);
        scene.clock.aheadMs += dayMs + minuteMs;
        await upkeep.run();
        await upkeep.close();
        assert.deepEqual([...(await rows(clientId))].toSorted(), ['active', 'expired', 'revoked']);
      });
    },
  );
}
