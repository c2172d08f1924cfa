import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { AuditEvent } from '@countersign/contract';
import {
  defineProfile,
  type MessageAlgorithm,
  type MessageProfile,
  messageProfiles,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { keyObjectThumbprint } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { type KeyPair, makeKeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { startFollowingDirectories } from '../../src/registry/follow-directories.ts';
import {
  anywhere,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementScene,
} from '../management/scene.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import { type Answering, openScene, type Scene, serve, serveBytes } from './scene.ts';

/* Clients that have their keys from a directory, through the management API and signed requests. */

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Directories are fetched only when a test says so. */
const never = 2 ** 31 - 1;
const { webBotAuth01, webBotAuth2025, curl822 } = messageProfiles;

const jwkOf = ({ publicKey }: KeyPair, members: object = {}): object => ({
  ...createPublicKey(publicKey).export({ format: 'jwk' }),
  ...members,
});
const newKeys = (): KeyPair => makeKeyPairFor('ed25519');
const thumbprintOf = ({ publicKey }: KeyPair): string => keyObjectThumbprint(createPublicKey(publicKey));

for (const backend of backends) {
  describe(`keys from directories on ${backend.name}`, { skip: backend.skip || skipWithoutOpenssl }, () => {
    let network: Scene;
    let scene: ManagementScene;
    before(async () => {
      network = await openScene();
      scene = await managementScene(backend, {
        settings: {
          COUNTERSIGN_PROFILES: [webBotAuth01, webBotAuth2025, curl822].map(({ id }) => id).join(),
        },
        overrides: {
          directories: { means: network.means },
          directoriesEveryMs: never,
          directoriesRandom: () => 0,
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
      network.reset();
      url = `https://agent${++urls}.agents.example/keys.json`;
    });

    const added: { readonly clientId: string; readonly by: Caller }[] = [];
    afterEach(async () => {
      // So that the next test has the directories for itself.
      for (const { clientId, by } of added.splice(0))
        await scene.succeed(by, 'revokeClient', { path: { clientId } });
    });

    const publish = (...keys: readonly (KeyPair | object)[]): void => {
      network.answer = serve({ keys: keys.map((key) => ('publicKey' in key ? jwkOf(key) : key)) });
    };
    const follow = (): Promise<void> => scene.running.service.followDirectories();
    /** Fetches what is due after a while. */
    const followIn = async (ms: number): Promise<void> => {
      scene.clock.aheadMs += ms;
      await follow();
    };
    const add = async (body: object = {}, by = scene.administrator): Promise<Client> => {
      const client = await scene.succeed<Client>(by, 'addClient', {
        body: {
          name: 'Agent',
          networkWhitelist: anywhere,
          profile: webBotAuth01.id,
          directoryUrl: url,
          ...body,
        },
      });
      added.push({ clientId: client.clientId, by });
      return client;
    };
    const get = ({ clientId }: Pick<Client, 'clientId'>, by = scene.administrator): Promise<Client> =>
      scene.succeed<Client>(by, 'getClient', { path: { clientId } });
    const update = ({ clientId }: Pick<Client, 'clientId'>, body: object): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'updateClient', {
        path: { clientId },
        headers: { 'If-Match': '*' },
        body,
      });
    const followed = async (...keys: readonly (KeyPair | object)[]): Promise<Client> => {
      publish(...keys);
      const { clientId } = await add();
      await follow();
      return get({ clientId });
    };

    interface Asking {
      readonly keyid?: string;
      readonly agent?: string | undefined;
      readonly profile?: MessageProfile;
      readonly algorithm?: MessageAlgorithm;
    }
    const ask = async (keys: KeyPair, asking: Asking = {}): Promise<Answer> => {
      const { keyid = thumbprintOf(keys), agent = `sig="${url}"`, profile = webBotAuth01 } = asking;
      const { algorithm } = asking;
      const headers: [string, string][] = agent === '' ? [] : [['Signature-Agent', agent]];
      const member = agent.startsWith('sig=') ? ['"signature-agent";key="sig"'] : [];
      const signed = await signMessage(
        { method: 'GET', targetUri: `${baseUrl}/v1/whoami`, headers, body: undefined },
        {
          profile: defineProfile(profile),
          key: signingKey(keys.privateKey, algorithm && { algorithm }),
          keyid,
          created: Math.floor(scene.nowMs() / 1000),
          others: profile === curl822 ? [] : ['@method', '@target-uri', ...member],
        },
      );
      const lines = [...headers, ...Object.entries(signed.headers)];
      return scene.running.send({ method: 'GET', url: '/v1/whoami', headers: Object.fromEntries(lines) });
    };
    const accepts = async (keys: KeyPair, { clientId }: Pick<Client, 'clientId'>, asking?: Asking) => {
      const answer = await ask(keys, asking);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json()['clientId'], clientId);
    };
    const rejects = async (keys: KeyPair, code: string, asking?: Asking): Promise<void> => {
      const answer = await ask(keys, asking);
      assert.equal(answer.json()['code'], code, answer.text);
    };

    test('a URL that may not be fetched is rejected when it is given, and nothing connects', async () => {
      for (const wrong of [
        'http://agent.example/keys.json',
        'https://127.0.0.1/keys.json',
        'https://[::1]/keys.json',
        'https://localhost/keys.json',
        'https://metadata.internal/keys.json',
        'https://agent.example:8443/keys.json',
        'https://user:secret@agent.example/keys.json',
        'https://agent.example/keys.json#a',
        'https://AGENT.example/keys.json',
        'data:application/json,{}',
        'keys.json',
      ]) {
        const body = {
          name: 'Agent',
          networkWhitelist: anywhere,
          profile: webBotAuth01.id,
          directoryUrl: wrong,
        };
        const told = await scene.refused(
          scene.administrator,
          'addClient',
          { body },
          'directory_url_not_allowed',
        );
        assert.deepEqual(
          told.errors.map(({ pointer }) => pointer),
          ['/directoryUrl'],
          wrong,
        );
      }
      await follow();
      assert.deepEqual(network.resolved, []);
      assert.deepEqual(network.targets, []);
    });

    test('a directory needs another profile, no registered key, and a URL of its own', async () => {
      const { clientId } = await add();
      const base = { name: 'Agent', networkWhitelist: anywhere, profile: webBotAuth01.id };
      const other = `${url}?2`;
      for (const [body, pointer] of [
        [{ ...base, profile: 'countersign', directoryUrl: other }, '/directoryUrl'],
        [{ name: 'Agent', networkWhitelist: anywhere, directoryUrl: other }, '/directoryUrl'],
        [{ ...base, directoryUrl: other, publicKey: newKeys().publicKey }, '/directoryUrl'],
        [{ ...base, directoryUrl: url }, '/directoryUrl'],
        [{ ...base, directoryUrl: 7 }, '/directoryUrl'],
        [{ ...base, directoryUrl: `https://agent.example/${'a'.repeat(1100)}` }, '/directoryUrl'],
      ] as const) {
        const { errors } = await scene.refused(scene.administrator, 'addClient', { body }, 'body_invalid');
        assert.deepEqual(
          errors.map((error) => error.pointer),
          [pointer],
          JSON.stringify(body),
        );
      }
      const change = { path: { clientId }, headers: { 'If-Match': '*' }, body: { profile: 'countersign' } };
      const { errors } = await scene.refused(scene.administrator, 'updateClient', change, 'body_invalid');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        ['/profile'],
      );
    });

    test('a key that is only in the directory is accepted once it has been fetched, in the background', async () => {
      const keys = newKeys();
      publish(keys);
      const client = await add();
      assert.deepEqual(client.directory, {
        url,
        lastAttemptAt: null,
        nextAttemptAt: client.createdAt,
        lastSuccessAt: null,
        problem: null,
        keys: 0,
        skipped: {},
      });
      await rejects(keys, 'signature_invalid');
      assert.deepEqual(network.requests, [], 'no request causes a fetch');
      await follow();
      await accepts(keys, client);
      await accepts(keys, client, { keyid: client.clientId });
      const { keys: shown, directory } = await get(client);
      assert.deepEqual(
        shown.map(({ status }) => status),
        ['active'],
      );
      assert.equal(directory?.keys, 1);
      assert.equal(directory.problem, null);
      assert.notEqual(directory.lastSuccessAt, null);
      await follow();
      assert.equal(network.requests.length, 1, 'a fresh directory is not fetched again');
    });

    test('several keys count at once, each from nbf until exp, and none ends because another is used', async () => {
      const all = Array.from({ length: 4 }, newKeys);
      const seconds = Math.floor(scene.nowMs() / 1000);
      const [first, second, early, late] = all as [KeyPair, KeyPair, KeyPair, KeyPair];
      const client = await followed(
        first,
        second,
        jwkOf(early, { exp: seconds + 600 }),
        jwkOf(late, { nbf: seconds + 1200 }),
      );
      for (const keys of [first, second, early]) await accepts(keys, client);
      await rejects(late, 'signature_invalid');
      scene.clock.aheadMs += 20 * minuteMs;
      await rejects(early, 'signature_invalid');
      for (const keys of [first, second, late]) await accepts(keys, client);
      const { keys } = await get(client);
      assert.ok(
        keys.every(({ status, replacesKeyId }) => status === 'active' && replacesKeyId === undefined),
      );
    });

    test('at most ten keys of a directory count', async () => {
      const all = Array.from({ length: 12 }, newKeys);
      const client = await followed(...all);
      assert.equal(client.keys.length, 10);
      assert.deepEqual(client.directory?.skipped, { too_many: 2 });
      await accepts(all[9]!, client);
      await rejects(all[10]!, 'signature_invalid');
    });

    test('an RSA key counts for the algorithm that its JWK says, or for the only one of the profile', async () => {
      const [plain, pss, ...others] = Array.from({ length: 4 }, () => makeKeyPair()) as [KeyPair, KeyPair];
      const wrong = others.map((keys, index) => jwkOf(keys, { alg: ['PS256', 'RS256'][index] }));
      const client = await followed(jwkOf(plain), jwkOf(pss, { alg: 'PS512' }), ...wrong);
      assert.deepEqual(
        client.keys.map(({ algorithm }) => algorithm),
        ['rsa-pss-sha512', 'rsa-pss-sha512'],
      );
      assert.deepEqual(client.directory?.skipped, { algorithm_not_supported: 2 });
      for (const keys of [plain, pss]) await accepts(keys, client, { algorithm: 'rsa-pss-sha512' });
      // Another algorithm of the same key is another purpose.
      publish(jwkOf(plain), jwkOf(pss, { alg: 'PS256' }));
      await followIn(hourMs);
      await accepts(plain, client, { algorithm: 'rsa-pss-sha512' });
      await rejects(pss, 'signature_invalid', { algorithm: 'rsa-pss-sha512' });
    });

    test('which keys count follows the profile of the client', async () => {
      const [rsa, ed25519] = [makeKeyPair(), newKeys()];
      const client = await followed(jwkOf(rsa, { alg: 'PS512' }), ed25519);
      assert.equal(client.keys.length, 2);
      await update(client, { profile: curl822.id });
      await follow();
      const { keys, directory } = await get(client);
      assert.deepEqual(
        keys.map(({ algorithm }) => algorithm),
        ['ed25519'],
      );
      assert.deepEqual(directory?.skipped, { algorithm_not_supported: 1 });
    });

    test('a key that the directory no longer has is rejected, and accepted again when it is back', async () => {
      const [first, second] = [newKeys(), newKeys()];
      const client = await followed(first, second);
      publish(second);
      await accepts(first, client);
      await followIn(hourMs);
      await rejects(first, 'signature_invalid');
      await accepts(second, client);
      publish(first, second);
      await followIn(hourMs);
      await accepts(first, client);
    });

    test('a directory that is down, lies or sends too much changes nothing, and its problem is shown', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      const { version } = await scene
        .database()
        .then((database) =>
          database
            .selectFrom('clients')
            .select('version')
            .where('client_id', '=', client.clientId)
            .executeTakeFirstOrThrow(),
        );
      const wrong: readonly [Answering, RegExp][] = [
        [(socket) => void socket.destroy(), /not valid HTTP/],
        [serveBytes(Buffer.from('{}'), {}, 503), /status 503/],
        [serve({ keys: [] }, { 'Content-Type': 'text/html' }), /Content-Type/],
        [serve('x'.repeat(70_000)), /larger than 64 KiB/],
        [serve('{"keys":[],"keys":[]}'), /strict JSON/],
        [serve({ keys: Array.from({ length: 101 }, () => ({})) }), /more than 100 keys/],
        [(socket) => void socket.end('HTTP/1.1 302 x\r\nLocation: /\r\n\r\n'), /redirects/],
      ];
      await followIn(hourMs);
      const succeededAt = (await get(client)).directory?.lastSuccessAt;
      for (const [answer, problem] of wrong) {
        network.answer = answer;
        scene.clock.aheadMs += hourMs;
        await follow();
        await accepts(keys, client);
        const { directory } = await get(client);
        assert.match(directory?.problem ?? '', problem);
        assert.equal(directory?.lastSuccessAt, succeededAt);
        assert.notEqual(directory?.lastAttemptAt, succeededAt);
      }
      assert.equal(
        Number((await scene.etagOf(scene.administrator, client.clientId)).replace(/\D/g, '')),
        version,
      );
      const requested = network.requests.length;
      await followIn(4 * minuteMs);
      assert.equal(network.requests.length, requested, 'a failed fetch is not repeated at once');
      publish(keys);
      await followIn(hourMs - 4 * minuteMs);
      assert.equal((await get(client)).directory?.problem, null);
    });

    test('a name that leads inside later is not followed', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      network.names.set(new URL(url).hostname, ['10.0.0.7']);
      await followIn(hourMs);
      await accepts(keys, client);
      const { directory } = await get(client);
      assert.match(directory?.problem ?? '', /does not resolve to public addresses alone/);
      assert.equal(network.internalConnections(), 0);
    });

    test('an outage survives a restart, and keys expire when it has lasted for seven days', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      network.answer = (socket) => void socket.destroy();
      await followIn(hourMs);
      await scene.running.restart();
      await follow();
      await accepts(keys, client);
      await followIn(7 * dayMs - 2 * hourMs);
      await accepts(keys, client);
      await followIn(hourMs);
      await rejects(keys, 'signature_invalid');
      const { directory, keys: shown } = await get(client);
      assert.deepEqual(shown, []);
      assert.equal(directory?.keys, 0);
      assert.match(directory.problem ?? '', /no longer trusted/);
      await followIn(hourMs);
      assert.match((await get(client)).directory?.problem ?? '', /not valid HTTP.*no longer trusted/);
      publish(keys);
      await followIn(hourMs);
      await accepts(keys, client);
    });

    test('a private half in the directory revokes its key for good', async () => {
      const [leaked, other] = [newKeys(), newKeys()];
      const client = await followed(leaked, other);
      const secret = createPrivateKey(leaked.privateKey).export({ format: 'jwk' });
      publish(leaked, secret, other);
      await followIn(hourMs);
      await rejects(leaked, 'signature_invalid');
      await accepts(other, client);
      assert.deepEqual((await get(client)).directory?.skipped, { private_key: 2 });
      publish(leaked, other);
      await followIn(hourMs);
      await rejects(leaked, 'signature_invalid');
      assert.deepEqual((await get(client)).directory?.skipped, { revoked: 1 });
    });

    test('a key that a person revoked stays revoked, and no key is added or rotated by hand', async () => {
      const [bad, good] = [newKeys(), newKeys()];
      const client = await followed(bad, good);
      const { clientId, keys } = client;
      const keyId = keys.find(({ fingerprint }) => fingerprint !== undefined)!.keyId;
      const calls = [
        ['addKey', { path: { clientId }, body: { publicKey: newKeys().publicKey } }],
        ['retireKey', { path: { clientId, keyId }, body: {} }],
        [
          'extendKey',
          { path: { clientId, keyId }, body: { endsAt: new Date(scene.nowMs() + dayMs).toISOString() } },
        ],
      ] as const;
      for (const [operation, call] of calls) {
        const { reason } = await scene.refused(scene.administrator, operation, call, 'client_state_conflict');
        assert.match(reason, /come from its directory/);
      }
      await scene.succeed(scene.administrator, 'revokeKey', {
        path: { clientId, keyId },
        body: { reason: 'compromised' },
      });
      await followIn(hourMs);
      assert.deepEqual((await get(client)).directory?.skipped, { revoked: 1 });
      assert.equal((await get(client)).keys.length, 1);
    });

    test('changing the directory of a client takes the permission to change its keys', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      await scene.succeed(scene.administrator, 'addRole', {
        body: { name: 'namer', permissions: ['clients:read', 'clients:write'] },
      });
      const namer = await scene.addCaller(['namer']);
      const { clientId } = client;
      for (const directoryUrl of [null, `${url}?namer`]) {
        const call = { path: { clientId }, headers: { 'If-Match': '*' }, body: { directoryUrl } };
        const { reason } = await scene.refused(namer, 'updateClient', call, 'permission_denied');
        assert.match(reason, /keys:write/);
      }
      const call = {
        path: { clientId },
        headers: { 'If-Match': '*' },
        body: { name: 'Renamed', directoryUrl: url },
      };
      await scene.succeed(namer, 'updateClient', call);
      await accepts(keys, client);
    });

    test('registered keys work until the directory has given keys', async () => {
      const [registered, published] = [newKeys(), newKeys()];
      const client = await add({ directoryUrl: undefined, publicKey: registered.publicKey });
      network.answer = (socket) => void socket.destroy();
      await update(client, { directoryUrl: url });
      await follow();
      await accepts(registered, client, { agent: 'sig="https://elsewhere.example/keys.json"' });
      publish();
      await followIn(hourMs);
      await accepts(registered, client, { agent: 'sig="https://elsewhere.example/keys.json"' });
      publish(published);
      await followIn(hourMs);
      await accepts(published, client);
      await rejects(registered, 'signature_invalid');
    });

    test('keys of a directory expire at once with it, or when another takes its place', async () => {
      const [first, second] = [newKeys(), newKeys()];
      const client = await followed(first);
      const earlier = url;
      url = `${earlier}?2`;
      await update(client, { directoryUrl: url });
      await rejects(first, 'signature_invalid', { agent: `sig="${earlier}"` });
      await rejects(first, 'signature_invalid');
      publish(second);
      await follow();
      await accepts(second, client);
      const changed = await update(client, { directoryUrl: null });
      assert.equal(changed.directory, null);
      assert.deepEqual(changed.keys, []);
      await rejects(second, 'signature_invalid');
      const { clientId } = client;
      await scene.succeed(scene.administrator, 'addKey', {
        path: { clientId },
        body: { publicKey: newKeys().publicKey },
      });
      await followIn(hourMs);
      assert.equal(network.requests.length, 2, 'it is not fetched any more');
    });

    test('an answer for the earlier directory changes nothing', async () => {
      const [late, next] = [newKeys(), newKeys()];
      const client = await add();
      const other = `${url}?2`;
      network.answer = (socket, head) => {
        network.answer = serve({ keys: [jwkOf(next)] });
        void update(client, { directoryUrl: other }).then(() => serve({ keys: [jwkOf(late)] })(socket, head));
      };
      await follow();
      url = other;
      await accepts(next, client);
      await rejects(late, 'signature_invalid');
      assert.equal((await get(client)).directory?.url, other);
    });

    test('nodes share the fetches: one of them fetches a directory', async () => {
      const keys = newKeys();
      publish(keys);
      const client = await add();
      const database = await scene.database();
      const nodes = Array.from({ length: 3 }, () =>
        startFollowingDirectories({
          database,
          fetching: { means: network.means, nowMs: scene.nowMs },
          keptDays: 7,
          followChange: async () => undefined,
          onEnded: () => assert.fail('keys ended'),
          onError: (error) => assert.fail(String(error)),
          everyMs: never,
        }),
      );
      await Promise.all([follow(), ...nodes.map((node) => node.run())]);
      await Promise.all(nodes.map((node) => node.close()));
      assert.equal(network.requests.filter((head) => head.includes(`Host: ${new URL(url).host}`)).length, 1);
      await scene.running.service.readRegistry();
      await accepts(keys, client);
    });

    test('a request must name the directory that its key comes from', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      const wrong = [
        'sig="https://elsewhere.example/keys.json"',
        `sig="${url}?"`,
        `sig="${url}";type=cimd`,
        'sig="https://agent.example"',
        'sig=7',
      ];
      for (const agent of wrong) await rejects(keys, 'directory_mismatch', { agent });
      await accepts(keys, client);
      await accepts(keys, client, { agent: `sig="${url}";type=jwks_uri` });
      await accepts(keys, client, { agent: `other="https://elsewhere.example/", sig="${url}"` });
    });

    test('a directory at the well-known path of an origin, which a single string names', async () => {
      const keys = newKeys();
      publish(keys);
      const { origin } = new URL(url);
      const client = await add({ directoryUrl: origin, profile: webBotAuth2025.id });
      assert.equal(client.directory?.url, `${origin}/.well-known/http-message-signatures-directory`);
      await follow();
      const by2025 = { profile: webBotAuth2025 };
      await rejects(keys, 'directory_mismatch', { ...by2025, agent: '"https://elsewhere.example"' });
      await rejects(keys, 'directory_mismatch', { ...by2025, agent: '' });
      await accepts(keys, client, { ...by2025, agent: `"${origin}"` });
    });

    test('a directory at the well-known path of an origin, which a member of a dictionary names', async () => {
      const keys = newKeys();
      publish(keys);
      const { origin } = new URL(url);
      const client = await add({ directoryUrl: origin });
      await follow();
      await rejects(keys, 'directory_mismatch', { agent: 'sig="https://elsewhere.example"' });
      await rejects(keys, 'directory_mismatch', { agent: `sig="${origin}";type=jwks_uri` });
      for (const agent of [origin, `${origin}/`, client.directory!.url])
        await accepts(keys, client, { agent: `sig="${agent}"` });
      await accepts(keys, client, { agent: `sig="${client.directory!.url}";type=jwks_uri` });
      await accepts(keys, client, { agent: `sig="${origin}";type=directory` });
    });

    test('a profile without Signature-Agent takes keys of a directory, too', async () => {
      const keys = newKeys();
      publish(keys);
      const client = await add({ profile: curl822.id });
      await follow();
      await accepts(keys, client, { profile: curl822, agent: '', keyid: client.clientId });
    });

    test('of several clients with a key, the one is meant whose directory is named', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      const stranger = await scene.addAccount();
      const copied = await add({ directoryUrl: undefined, publicKey: keys.publicKey }, stranger);
      await accepts(keys, client);
      await rejects(keys, 'signature_invalid', { agent: 'sig="https://elsewhere.example/keys.json"' });
      const mirror = `${url}?mirror`;
      const mirrored = await add({ directoryUrl: mirror }, await scene.addAccount());
      await follow();
      await accepts(keys, client);
      await accepts(keys, mirrored, { agent: `sig="${mirror}"` });
      await accepts(keys, copied, { keyid: copied.clientId });
    });

    test('another account sees nothing of a directory, and cannot take a key away', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      const stranger = await scene.addAccount();
      const { clientId } = client;
      await scene.refused(stranger, 'getClient', { path: { clientId } }, 'not_found');
      const change = { path: { clientId }, headers: { 'If-Match': '*' }, body: { directoryUrl: null } };
      await scene.refused(stranger, 'updateClient', change, 'not_found');
      const same = await add({}, stranger);
      assert.equal(same.directory?.url, url, 'whether someone else has it does not show');
      await follow();
      assert.equal((await get(same, stranger)).keys.length, 1);
      await accepts(keys, client, { keyid: clientId });
      // A key of another client in the account is no key of this one.
      const thief = await add({ directoryUrl: `${url}?thief` });
      await follow();
      assert.deepEqual((await get(thief)).directory?.skipped, { registered_elsewhere: 1 });
      assert.deepEqual((await get(thief)).keys, []);
    });

    test('a removed client is not followed any more, and restoring it brings no key back', async () => {
      const keys = newKeys();
      const client = await followed(keys);
      const { clientId } = client;
      await scene.succeed(scene.administrator, 'revokeClient', { path: { clientId } });
      await followIn(hourMs);
      assert.equal(network.requests.length, 1);
      await scene.succeed(scene.administrator, 'restoreClient', { path: { clientId } });
      await scene.succeed(scene.administrator, 'enableClient', { path: { clientId } });
      await follow();
      assert.deepEqual((await get(client)).directory?.skipped, { revoked: 1 });
      await rejects(keys, 'signature_invalid');
    });

    test('the audit log has each change of the keys, by the service', async () => {
      const [first, second] = [newKeys(), newKeys()];
      const client = await followed(first);
      await followIn(hourMs);
      publish(second);
      await followIn(hourMs);
      const { clientId } = client;
      const { data } = await scene.succeed<Data<AuditEvent>>(scene.administrator, 'listAuditEvents', {
        query: `clientId=${clientId}`,
      });
      const [replaced, begun, creation] = data;
      assert.equal(data.length, 3);
      assert.equal(creation?.after?.['directoryUrl'], url);
      const [old] = client.keys;
      for (const event of [replaced, begun])
        assert.deepEqual(event?.actor, { kind: 'system', id: 'directories' });
      assert.deepEqual([begun?.before, begun?.after], [{ keys: [] }, { keys: [old?.fingerprint] }]);
      const [now] = (await get(client)).keys;
      assert.deepEqual(
        [replaced?.action, replaced?.before, replaced?.after],
        ['client.updated', { keys: [old?.fingerprint] }, { keys: [now?.fingerprint] }],
      );
    });
  });
}
