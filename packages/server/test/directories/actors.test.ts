import assert from 'node:assert/strict';
import { createHash, createPublicKey, sign } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { keyObjectThumbprint } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { type KeyPair, makeKeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import {
  anywhere,
  type Caller,
  type Client,
  managementScene,
  type ManagementScene,
} from '../management/scene.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import { type Answering, openScene, type Scene, serve } from './scene.ts';

/* Clients whose keys an actor of ActivityPub publishes, and who sign as servers of social networks do. */

const hourMs = 3_600_000;
/** Directories are fetched only when a test says so. */
const never = 2 ** 31 - 1;
const { mastodon45, webBotAuth01, curl822 } = messageProfiles;

/** The parts of Mastodon's documents that matter here, in its order. */
const actorOf = (url: string, publicKey: unknown, members: object = {}): object => ({
  '@context': ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1'],
  id: url,
  type: 'Person',
  following: `${url}/following`,
  inbox: `${url}/inbox`,
  preferredUsername: 'alice',
  summary: '<p>A secret to everybody.</p>',
  publicKey,
  tag: [],
  ...members,
});
const keyOf = (url: string, { publicKey }: KeyPair, members: object = {}): object => ({
  id: `${url}#main-key`,
  owner: url,
  publicKeyPem: publicKey,
  ...members,
});

for (const backend of backends) {
  describe(`keys of actors on ${backend.name}`, { skip: backend.skip || skipWithoutOpenssl }, () => {
    let network: Scene;
    let scene: ManagementScene;
    before(async () => {
      network = await openScene();
      scene = await managementScene(backend, {
        settings: { COUNTERSIGN_PROFILES: [mastodon45, webBotAuth01, curl822].map(({ id }) => id).join() },
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
      url = `https://social${++urls}.agents.example/users/alice`;
    });
    const added: { readonly clientId: string; readonly by: Caller }[] = [];
    afterEach(async () => {
      for (const { clientId, by } of added.splice(0))
        await scene.succeed(by, 'revokeClient', { path: { clientId } });
    });

    const actorType = { 'Content-Type': 'application/activity+json; charset=utf-8' };
    const publish = (document: object, headers: Readonly<Record<string, string>> = actorType): void => {
      network.answer = serve(document, headers);
    };
    const publishKeys = (...keys: readonly KeyPair[]): void =>
      publish(
        actorOf(
          url,
          keys.length === 1
            ? keyOf(url, keys[0]!)
            : keys.map((one, at) => keyOf(url, one, at === 0 ? {} : { id: `${url}#key-${at}` })),
        ),
      );
    const follow = (): Promise<void> => scene.running.service.followDirectories();
    const followIn = async (ms: number): Promise<void> => {
      scene.clock.aheadMs += ms;
      await follow();
    };
    const add = async (body: object = {}, by = scene.administrator): Promise<Client> => {
      const client = await scene.succeed<Client>(by, 'addClient', {
        body: {
          name: 'Social',
          networkWhitelist: anywhere,
          profile: mastodon45.id,
          directoryUrl: url,
          roles: ['payments-operator'],
          ...body,
        },
      });
      added.push({ clientId: client.clientId, by });
      return client;
    };
    const get = ({ clientId }: Pick<Client, 'clientId'>): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'getClient', { path: { clientId } });
    const followed = async (...keys: readonly KeyPair[]): Promise<Client> => {
      publishKeys(...keys);
      const { clientId } = await add();
      await follow();
      return get({ clientId });
    };

    interface Asking {
      readonly keyid?: string;
      readonly path?: string;
      readonly body?: string;
      readonly created?: number;
      readonly covered?: readonly string[];
    }
    /** Signs by hand what Mastodon's own tests sign: `sig1`, without alg, tag and nonce. */
    const headersOf = (
      keys: KeyPair,
      { keyid = `${url}#main-key`, path = '/v1/whoami', body, created, covered }: Asking = {},
    ): Record<string, string> => {
      const digest =
        body === undefined ? undefined : `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
      const values: Record<string, string | undefined> = {
        '@method': body === undefined ? 'GET' : 'POST',
        '@target-uri': `${baseUrl}${path}`,
        'content-digest': digest,
      };
      const names = covered ?? Object.keys(values).filter((name) => values[name] !== undefined);
      const at = created ?? Math.floor(scene.nowMs() / 1000);
      const parameters = `(${names.map((name) => `"${name}"`).join(' ')});created=${at};keyid="${keyid}"`;
      const base = [
        ...names.map((name) => `"${name}": ${values[name]}`),
        `"@signature-params": ${parameters}`,
      ].join('\n');
      const signature = sign(hashOf(keys), Buffer.from(base), keys.privateKey);
      return {
        ...(digest !== undefined && { 'Content-Digest': digest, 'Content-Type': 'application/json' }),
        'Signature-Input': `sig1=${parameters}`,
        Signature: `sig1=:${signature.toString('base64')}:`,
      };
    };
    const send = (
      headers: Record<string, string>,
      { path = '/v1/whoami', body }: Asking = {},
    ): Promise<Answer> =>
      scene.running.send({
        method: body === undefined ? 'GET' : 'POST',
        url: path,
        headers,
        ...(body !== undefined && { body }),
      });
    const ask = (keys: KeyPair, asking: Asking = {}): Promise<Answer> =>
      send(headersOf(keys, asking), asking);
    const accepts = async (keys: KeyPair, { clientId }: Pick<Client, 'clientId'>, asking?: Asking) => {
      const answer = await ask(keys, asking);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json()['clientId'], clientId);
    };
    const rejects = async (keys: KeyPair, code: string, asking?: Asking): Promise<void> => {
      const answer = await ask(keys, asking);
      assert.equal(answer.json()['code'], code, answer.text);
    };
    const payment = {
      path: '/v1/payments',
      body: '{"amount":1250,"currency":"EUR","reference":"Invoice 7"}',
    };

    test("a URL that may not be an actor's is rejected when it is given, and nothing connects", async () => {
      for (const wrong of [
        'http://social.example/users/alice',
        'https://127.0.0.1/users/alice',
        'https://social.example/users/alice#main-key',
        'https://social.example:8443/users/alice',
        'https://localhost/users/alice',
        'https://[::1]/users/alice',
        'https://social.example',
        'acct:alice@social.example',
        '@alice@social.example',
      ]) {
        const body = {
          name: 'Social',
          networkWhitelist: anywhere,
          profile: mastodon45.id,
          directoryUrl: wrong,
        };
        const { errors } = await scene.refused(
          scene.administrator,
          'addClient',
          { body },
          'directory_url_not_allowed',
        );
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          ['/directoryUrl'],
          wrong,
        );
      }
      await follow();
      assert.deepEqual([network.resolved, network.targets], [[], []]);
    });

    test('a document that lies, or is none, brings no key', async () => {
      const keys = makeKeyPair();
      const other = url.replace('alice', 'bob');
      const good = keyOf(url, keys);
      const client = await add();
      const wrong: readonly [Answering, RegExp | Record<string, number>][] = [
        [serve(actorOf(other, good), actorType), /not the URL/],
        [serve(actorOf(`${url}/`, good), actorType), /not the URL/],
        [serve(actorOf(url, { ...good, owner: other }), actorType), { owner_mismatch: 1 }],
        [serve(actorOf(url, { ...good, controller: other }), actorType), { owner_mismatch: 1 }],
        [serve(actorOf(url, { ...good, id: `${other}#main-key` }), actorType), { owner_mismatch: 1 }],
        [
          serve(actorOf(url, { ...good, id: 'https://elsewhere.example/users/alice#main-key' }), actorType),
          { owner_mismatch: 1 },
        ],
        [serve(actorOf(url, [good, keyOf(url, makeKeyPair())]), actorType), { key_id_ambiguous: 2 }],
        [serve(actorOf(url, { ...good, publicKeyPem: keys.privateKey }), actorType), { private_key: 1 }],
        [serve(actorOf(url, { ...good, privateKeyPem: keys.privateKey }), actorType), { private_key: 1 }],
        [
          serve(
            actorOf(
              url,
              Array.from({ length: 100_000 }, () => 0),
            ),
            actorType,
          ),
          /64 KiB/,
        ],
        [
          serve(
            actorOf(
              url,
              Array.from({ length: 11 }, () => good),
            ),
            actorType,
          ),
          /more than 10 keys/,
        ],
        [serve(actorOf(url, `${url}#main-key`), actorType), /not an actor with a public key/],
        [serve({ keys: [] }, actorType), /not the URL/],
        [serve(actorOf(url, good), { 'Content-Type': 'application/json' }), /Content-Type/],
        [serve('<!doctype html><title>Alice</title>', { 'Content-Type': 'text/html' }), /Content-Type/],
        [serve('<!doctype html><title>Alice</title>', actorType), /strict JSON/],
        [(socket) => void socket.end('HTTP/1.1 302 x\r\nLocation: /@alice\r\n\r\n'), /redirects/],
      ];
      for (const [answer, problem] of wrong) {
        network.answer = answer;
        await followIn(2 * hourMs);
        const { directory } = await get(client);
        if (problem instanceof RegExp) assert.match(directory?.problem ?? '', problem);
        else assert.deepEqual(directory?.skipped, problem);
        assert.equal(directory?.keys, 0);
        await rejects(keys, 'signature_invalid');
      }
      assert.match(network.requests[0]!, /\r\nAccept: application\/activity\+json, /);
    });

    test("a request that names the actor's key is accepted once it has been fetched, in the background", async () => {
      const keys = makeKeyPair();
      publishKeys(keys);
      const client = await add();
      await rejects(keys, 'signature_invalid');
      assert.deepEqual(network.requests, [], 'no request causes a fetch');
      await follow();
      await accepts(keys, client);
      await accepts(keys, client, { path: '/v1/signature-test?open=1&open=%C3%A4' });
      const answer = await ask(keys, payment);
      assert.equal(answer.status, 201, answer.text);
    });

    test('a request passes once, and with its own body only', async () => {
      const keys = makeKeyPair();
      await followed(keys);
      const headers = headersOf(keys, payment);
      const changed = { ...payment, body: payment.body.replace('1250', '9250') };
      assert.equal((await send(headers, changed)).json()['code'], 'digest_mismatch');
      assert.equal((await send(headers, payment)).status, 201);
      assert.equal((await send(headers, payment)).json()['code'], 'signature_replayed');
      const uncovered = { ...payment, covered: ['@method', '@target-uri'] };
      await rejects(keys, 'components_invalid', uncovered);
      await rejects(keys, 'components_invalid', { covered: ['@method'] });
      await rejects(keys, 'created_expired', { created: Math.floor(scene.nowMs() / 1000) - 3000 });
    });

    test('the name of a key is its URL exactly, or what every key is named by', async () => {
      const keys = makeKeyPair();
      const client = await followed(keys);
      for (const keyid of [
        url,
        `${url}#`,
        `${url}#MAIN-KEY`,
        `${url}?#main-key`,
        `${url.toUpperCase()}#main-key`,
        `${url.replace('alice', '%61lice')}#main-key`,
        'https://elsewhere.example/users/alice#main-key',
        'https://169.254.169.254/latest#main-key',
      ])
        await rejects(keys, 'signature_invalid', { keyid });
      await rejects(makeKeyPair(), 'signature_invalid');
      await accepts(keys, client);
      await accepts(keys, client, { keyid: client.clientId, path: '/v1/signature-test?1' });
      const thumbprint = keyObjectThumbprint(createPublicKey(keys.publicKey));
      await accepts(keys, client, { keyid: thumbprint, path: '/v1/signature-test?2' });
      assert.equal(network.requests.length, 1, 'no request causes a fetch');
    });

    test('a rotated key is rejected, several count at once, and a new name is followed', async () => {
      const [first, second, third] = [makeKeyPair(), makeKeyPair(), makeKeyPairFor('ed25519')];
      const client = await followed(first, third);
      await accepts(first, client);
      await accepts(third, client, { keyid: `${url}#key-1` });
      publishKeys(second);
      await followIn(hourMs);
      await rejects(first, 'signature_invalid');
      await rejects(third, 'signature_invalid', { keyid: `${url}#key-1` });
      await accepts(second, client);
      publish(actorOf(url, keyOf(url, second, { id: `${url}#next`, owner: undefined, controller: url })));
      await followIn(hourMs);
      await rejects(second, 'signature_invalid');
      await accepts(second, client, { keyid: `${url}#next` });
    });

    test('an outage, and a document that begins to lie, keep the keys', async () => {
      const keys = makeKeyPair();
      const client = await followed(keys);
      for (const answer of [
        (socket) => void socket.destroy(),
        serve(actorOf(url.replace('alice', 'bob'), keyOf(url, keys)), actorType),
      ] satisfies Answering[]) {
        network.answer = answer;
        await followIn(2 * hourMs);
        await accepts(keys, client);
      }
      await scene.running.restart();
      await accepts(keys, client, { path: '/v1/signature-test?restarted' });
    });

    test('a private key in the document revokes the key for good', async () => {
      const [leaked, other] = [makeKeyPair(), makeKeyPair()];
      const client = await followed(leaked);
      publish(
        actorOf(url, [
          keyOf(url, leaked, { privateKeyPem: leaked.privateKey }),
          keyOf(url, other, { id: `${url}#2` }),
        ]),
      );
      await followIn(hourMs);
      await rejects(leaked, 'signature_invalid');
      await accepts(other, client, { keyid: `${url}#2` });
      publishKeys(leaked);
      await followIn(hourMs);
      await rejects(leaked, 'signature_invalid');
      assert.deepEqual((await get(client)).directory?.skipped, { revoked: 1 });
    });

    test('an actor that two accounts name is nobody, until one of them has left', async () => {
      const keys = makeKeyPair();
      const client = await followed(keys);
      const stranger = await scene.addAccount();
      const copy = await add({ roles: [] }, stranger);
      await follow();
      await rejects(keys, 'signature_invalid');
      await accepts(keys, client, { keyid: client.clientId });
      await scene.succeed(stranger, 'disableClient', { path: { clientId: copy.clientId } });
      await accepts(keys, client);
    });

    test('another profile takes another kind of directory', async () => {
      const keys = makeKeyPair();
      const client = await followed(keys);
      const change = (body: object) => ({
        path: { clientId: client.clientId },
        headers: { 'If-Match': '*' },
        body,
      });
      for (const profile of [webBotAuth01.id, 'countersign']) {
        const { errors } = await scene.refused(
          scene.administrator,
          'updateClient',
          change({ profile }),
          'body_invalid',
        );
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          ['/profile'],
        );
      }
      await scene.succeed(
        scene.administrator,
        'updateClient',
        change({ profile: curl822.id, directoryUrl: url }),
      );
      await rejects(keys, 'signature_invalid');
      assert.deepEqual((await get(client)).keys, [], 'the same URL as a JWK Set is another directory');
    });
  });
}

/** The hash of a signature; null for kinds of keys that have one of their own. */
function hashOf({ publicKey }: KeyPair): 'sha256' | null {
  return createPublicKey(publicKey).asymmetricKeyType === 'rsa' ? 'sha256' : null;
}
