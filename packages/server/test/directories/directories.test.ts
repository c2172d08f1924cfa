import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { keyThumbprint } from '@countersign/signature/messages/node';
import { lonePublicKey } from '@countersign/testing/test-keys';
import { TestClock } from '@countersign/testing/test-clock';
import { Directories, type DirectoriesOptions } from '../../src/directories/directories.ts';
import type { DirectoryLocation } from '../../src/directories/directory-location.ts';
import type { KeyLookup } from '../../src/directories/kept-directory.ts';
import type { StoredDirectory } from '../../src/directories/stored-directory.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import { newJwk, openScene, type Scene, send, serve, serveBytes } from './scene.ts';

/* Which keys count while directories change, fail, and are asked for by strangers. */

const minute = 60;
const day = 86_400;
const stranger = { owner: '203.0.113.7' };
const broken = serveBytes(Buffer.from('{}'), {}, 503);

const at = (host: string, path = '/keys'): DirectoryLocation => ({
  form: 'key-set',
  url: `https://${host}${path}`,
});
const one = at('agent.example');
const agentAt = (number: number, path?: string): DirectoryLocation => at(`a${number}.agents.example`, path);

/** A short text for a result: the key IDs, or the code. */
const shown = (lookup: KeyLookup): string =>
  lookup.ok ? lookup.keys.map(({ kid }) => kid).join(' ') : lookup.code;

describe('directories', { skip: skipWithoutOpenssl }, () => {
  let scene: Scene;
  let clock: TestClock;
  const opened: Directories[] = [];
  before(async () => (scene = await openScene()));
  after(() => scene.close());
  beforeEach(() => {
    scene.reset();
    clock = new TestClock(1_700_000_000);
  });
  afterEach(() => Promise.all(opened.splice(0).map((directories) => directories.close())));

  const open = (options: Partial<DirectoriesOptions> = {}): Directories => {
    const directories = new Directories({
      nowMs: clock.nowMs,
      monotonicMs: clock.monotonicMs,
      means: scene.means,
      deadline: () => new AbortController().signal,
      onError: (error) => assert.fail(String(error)),
      ...options,
    });
    opened.push(directories);
    return directories;
  };
  const openOne = async (options?: Partial<DirectoriesOptions>): Promise<Directories> => {
    const directories = open(options);
    directories.register([one]);
    await directories.refreshDue();
    return directories;
  };
  const openForStrangers = (options: Partial<DirectoriesOptions> = {}): Directories =>
    open({ ...options, limits: { unregisteredMax: 3, ...options.limits } });
  const keys = (...kids: readonly string[]): object => ({ keys: kids.map((kid) => newJwk({ kid })) });
  /** The next requests wait for the returned function. */
  const hold = (document: object): (() => void) => {
    const waiting: (() => void)[] = [];
    let isReleased = false;
    scene.answer = (socket, head) => {
      const answer = (): void => serve(document)(socket, head);
      if (isReleased) answer();
      else waiting.push(answer);
    };
    return () => {
      isReleased = true;
      for (const answer of waiting) answer();
    };
  };

  test('are unknown until they are registered and fetched', async () => {
    const directories = open();
    assert.equal(shown(directories.find(one, 'a')), 'not_registered');
    assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'not_registered');
    directories.register([one]);
    assert.equal(shown(directories.find(one, 'a')), 'not_fetched');
    assert.equal(scene.targets.length, 0);
    scene.answer = serve(keys('a'));
    await directories.refreshDue();
    assert.equal(shown(directories.find(one, 'a')), 'a');
  });

  test('name their keys by ID and by thumbprint, each for itself', async () => {
    const jwk = newJwk({ kid: 'a' });
    const other = agentAt(1);
    scene.answer = (socket, head) =>
      serve(head.includes('Host: agent.example') ? { keys: [jwk] } : keys('a', 'b'))(socket, head);
    const directories = open();
    directories.register([one, other]);
    await directories.refreshDue();
    const { x, kty, crv } = jwk;
    const thumbprint = await keyThumbprint({ x, kty, crv });
    assert.equal(shown(directories.find(one, thumbprint)), 'a');
    assert.equal(shown(directories.find(other, thumbprint)), 'key_unknown');
    assert.equal(shown(directories.find(one, 'b')), 'key_unknown');
    const [ofOne, ofOther] = [directories.find(one, 'a'), directories.find(other, 'a')];
    assert.ok(ofOne.ok && ofOther.ok);
    assert.notEqual(ofOne.keys[0]?.fingerprint, ofOther.keys[0]?.fingerprint);
    assert.equal(shown(directories.find({ ...one, form: 'actor' }, 'a')), 'not_registered');
    for (const name of ['__proto__', 'constructor', ''])
      assert.equal(shown(directories.find(one, name)), 'key_unknown');
  });

  test('keep their keys through every kind of failure, for seven days', async () => {
    scene.answer = serve(keys('a'));
    const directories = await openOne();
    const failures = [
      broken,
      serveBytes(Buffer.from('{"keys":[]}'), {}, 404),
      serve({}),
      serve('{'),
      send(''),
      serve({ keys: Array.from({ length: 101 }, () => newJwk()) }),
    ];
    for (const failure of failures) {
      clock.pass(day);
      scene.answer = failure;
      await directories.refreshDue();
      assert.equal(shown(directories.find(one, 'a')), 'a');
      assert.notEqual(directories.state(one)?.problem, undefined);
    }
    scene.names.set('agent.example', ['127.0.0.1']);
    clock.pass(day - 1);
    await directories.refreshDue();
    assert.equal(shown(directories.find(one, 'a')), 'a');
    assert.equal(directories.state(one)?.problem?.code, 'address_not_public');
    clock.pass(1);
    assert.equal(shown(directories.find(one, 'a')), 'outage_too_long');
    const { isUsable, problem, keyCount } = directories.state(one)!;
    assert.deepEqual([isUsable, problem?.code, keyCount], [false, 'outage_too_long', 0]);
    await directories.refreshDue();
    assert.equal(shown(directories.find(one, 'a')), 'outage_too_long');
    scene.reset();
    scene.answer = serve(keys('b'));
    clock.pass(5 * minute);
    await directories.refreshDue();
    assert.deepEqual([shown(directories.find(one, 'b')), directories.state(one)?.problem], ['b', undefined]);
  });

  test('lose the keys that a good answer no longer has', async () => {
    scene.answer = serve(keys('a', 'b'));
    const directories = await openOne();
    clock.pass(day);
    scene.answer = serve(keys('b'));
    await directories.refreshDue();
    assert.equal(shown(directories.find(one, 'a')), 'key_unknown');
    assert.equal(shown(directories.find(one, 'b')), 'b');
    clock.pass(day);
    scene.answer = serve({ keys: [] });
    await directories.refreshDue();
    assert.equal(shown(directories.find(one, 'b')), 'key_unknown');
    assert.deepEqual(directories.keysOf(one), []);
  });

  test('have keys that start and end', async () => {
    const now = clock.seconds;
    scene.answer = serve({
      keys: [newJwk({ kid: 'later', nbf: now + 60 }), newJwk({ kid: 'soon over', exp: now + 60 })],
    });
    const directories = await openOne();
    assert.equal(shown(directories.find(one, 'later')), 'key_unknown');
    assert.equal(shown(directories.find(one, 'soon over')), 'soon over');
    clock.pass(60);
    assert.equal(shown(directories.find(one, 'later')), 'later');
    assert.equal(shown(directories.find(one, 'soon over')), 'key_unknown');
    assert.deepEqual(
      directories.keysOf(one).map(({ kid }) => kid),
      ['later'],
    );
  });

  test('are fetched again when they are no longer fresh, and five minutes after a failure', async () => {
    scene.answer = serve(keys('a'), { 'Cache-Control': 'max-age=600' });
    const directories = await openOne();
    clock.pass(599);
    await directories.refreshDue();
    assert.equal(scene.requests.length, 1);
    clock.pass(1);
    scene.answer = broken;
    await directories.refreshDue();
    assert.equal(scene.requests.length, 2);
    clock.pass(5 * minute - 1);
    await directories.refreshDue();
    assert.equal(scene.requests.length, 2);
    clock.pass(1);
    await directories.refreshDue();
    assert.equal(scene.requests.length, 3);
  });

  test('do not care what the wall clock says', async () => {
    scene.answer = serve(keys('a'), { 'Cache-Control': 'max-age=600' });
    const directories = await openOne();
    for (const seconds of [10 * 365 * day, -20 * 365 * day]) {
      clock.jump(seconds);
      await directories.refreshDue();
      assert.equal(shown(directories.find(one, 'a')), 'a');
    }
    assert.equal(scene.requests.length, 1);
    clock.pass(600);
    await directories.refreshDue();
    assert.equal(scene.requests.length, 2);
  });

  test('are fetched once for all who wait', async () => {
    const directories = open();
    directories.register([one]);
    const release = hold(keys('a'));
    const waiting = Array.from({ length: 100 }, (_, index) =>
      directories.findOrFetch(one, 'a', { owner: String(index) }),
    );
    const refreshing = [directories.refreshDue(), directories.refreshDue(), directories.refreshNow(one)];
    release();
    assert.deepEqual(new Set((await Promise.all(waiting)).map(shown)), new Set(['a']));
    await Promise.all(refreshing);
    assert.equal(scene.requests.length, 1);
  });

  test('are fetched for an unknown key once in five minutes', async () => {
    scene.answer = serve(keys('a'));
    const directories = await openOne();
    scene.answer = serve(keys('a', 'b'));
    assert.equal(shown(await directories.findOrFetch(one, 'b', stranger)), 'key_unknown');
    clock.pass(5 * minute - 1);
    assert.equal(shown(await directories.findOrFetch(one, 'b', stranger)), 'key_unknown');
    assert.equal(scene.requests.length, 1);
    clock.pass(1);
    assert.equal(shown(await directories.findOrFetch(one, 'b', stranger)), 'b');
    for (let tries = 0; tries < 20; tries++)
      assert.equal(shown(await directories.findOrFetch(one, `c${tries}`, stranger)), 'key_unknown');
    assert.equal(scene.requests.length, 2);
  });

  test('are fetched for a person who asks, not more often than every ten seconds', async () => {
    scene.answer = serve(keys('a'));
    const directories = await openOne();
    scene.answer = serve(keys('b'));
    assert.equal((await directories.refreshNow(one))?.keyCount, 1);
    assert.equal(shown(directories.find(one, 'b')), 'key_unknown');
    clock.pass(10);
    await directories.refreshNow(one);
    assert.equal(shown(directories.find(one, 'b')), 'b');
    assert.equal(await directories.refreshNow(agentAt(1)), undefined);
    assert.equal(scene.requests.length, 2);
  });

  test('are forgotten when no client is registered with them', async () => {
    scene.answer = serve(keys('a'));
    const stored: StoredDirectory[] = [];
    const directories = await openOne({ onFetched: (directory) => stored.push(directory) });
    clock.pass(day);
    const release = hold(keys('b'));
    const refreshing = directories.refreshDue();
    directories.register([agentAt(1)]);
    release();
    await refreshing;
    assert.equal(shown(directories.find(one, 'a')), 'not_registered');
    assert.deepEqual([stored.length, directories.snapshot()], [1, []]);
    assert.deepEqual(
      directories.states().map(({ url }) => url),
      [agentAt(1).url],
    );
  });

  test('tell people how they are doing', async () => {
    scene.answer = serve({ keys: [newJwk(), newJwk({ use: 'enc' }), 7] });
    const directories = await openOne();
    const beganMs = clock.nowMs();
    clock.pass(day);
    scene.answer = broken;
    await directories.refreshDue();
    assert.deepEqual(directories.states(), [
      {
        ...one,
        isRegistered: true,
        attemptedAtMs: beganMs + day * 1000,
        succeededAtMs: beganMs,
        problem: {
          ok: false,
          code: 'status_not_ok',
          message: 'The server answered with status 503 instead of 200.',
        },
        isUsable: true,
        usableUntilMs: beganMs + 7 * day * 1000,
        keyCount: 1,
        skipped: { not_for_signatures: 1, not_a_key: 1 },
      },
    ]);
  });

  test('report a URL that may not be fetched', async () => {
    const directories = open();
    directories.register([
      { form: 'key-set', url: 'https://10.0.0.1/' },
      { form: 'key-set', url: 'agent.example' },
    ]);
    await directories.refreshDue();
    assert.deepEqual(
      directories.states().map(({ problem }) => problem?.code),
      ['url_host_is_address', 'url_malformed'],
    );
    assert.equal(scene.targets.length, 0);
  });

  test('survive a restart during an outage, but are as old as they are', async () => {
    scene.answer = serve({ keys: [newJwk({ kid: 'a' }), newJwk({ kid: 'b', exp: clock.seconds + day })] });
    const earlier = await openOne();
    const text = JSON.stringify(earlier.snapshot());
    scene.answer = broken;
    clock.pass(6 * day);
    const restart = async (stored: readonly unknown[]): Promise<Directories> => {
      const directories = open();
      directories.register([one]);
      directories.restore(stored);
      await directories.refreshDue();
      return directories;
    };
    const stored = JSON.parse(text) as unknown[];
    const second = await restart(stored);
    assert.equal(shown(second.find(one, 'a')), 'a');
    assert.equal(shown(second.find(one, 'b')), 'key_unknown');
    assert.deepEqual(JSON.parse(JSON.stringify(second.snapshot())), stored);
    clock.pass(day);
    assert.equal(shown(second.find(one, 'a')), 'outage_too_long');
    assert.equal(shown((await restart(stored)).find(one, 'a')), 'outage_too_long');
    clock.jump(-100 * day);
    assert.equal(shown((await restart(stored)).find(one, 'a')), 'a');
  });

  test('ignore what is damaged in storage, and what nobody is registered with', async () => {
    scene.answer = serve(keys('a', 'b'));
    const [stored] = (await openOne()).snapshot();
    const [first, second] = stored!.keys;
    const damaged: readonly unknown[] = [
      undefined,
      null,
      7,
      {},
      { ...stored, form: 'other' },
      { ...stored, keys: 'a' },
      { ...stored, succeededAtMs: 'yesterday' },
      { ...stored, url: agentAt(1).url },
    ];
    const directories = open();
    directories.register([one]);
    directories.restore(damaged);
    assert.equal(shown(directories.find(one, 'a')), 'not_fetched');
    directories.restore([
      {
        ...stored,
        keys: [
          { ...first, spkiPem: second!.spkiPem },
          { ...first, spkiPem: 'x' },
          { ...first, algorithm: 'none' },
          second,
        ],
      },
    ]);
    assert.equal(shown(directories.find(one, 'a')), 'key_unknown');
    assert.equal(shown(directories.find(one, 'b')), 'b');
  });

  test('examine what is in storage once more when they are fetched', async () => {
    // The key of RFC 9421, whose private half is published.
    const x = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';
    scene.answer = serve({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'a', alg: 'EdDSA', x }] });
    const stored = (await openOne({ policy: { allowPublishedTestKeys: true } })).snapshot();
    const directories = open();
    directories.register([one]);
    directories.restore(stored);
    assert.equal(shown(directories.find(one, 'a')), 'a');
    await directories.refreshDue();
    assert.equal(shown(directories.find(one, 'a')), 'key_unknown');
    assert.deepEqual(directories.state(one)?.skipped, { published_test_key: 1 });
  });

  test('examine a key once: more of RSA are added later than at once', async () => {
    const rsa = Array.from({ length: 11 }, () => createPublicKey(lonePublicKey()).export({ format: 'jwk' }));
    scene.answer = serve({ keys: rsa.slice(0, 10) });
    const directories = await openOne();
    assert.equal(directories.state(one)?.keyCount, 10);
    clock.pass(day);
    scene.answer = serve({ keys: rsa });
    await directories.refreshDue();
    const { keyCount, skipped } = directories.state(one)!;
    assert.deepEqual([keyCount, skipped], [11, {}]);
  });

  test('do not take the place of what was fetched when they are restored late', async () => {
    scene.answer = serve(keys('a'));
    const stored = (await openOne()).snapshot();
    scene.answer = serve(keys('b'));
    const directories = await openOne();
    directories.restore(stored);
    assert.equal(shown(directories.find(one, 'a')), 'key_unknown');
  });

  test('are bounded: so many directories, and so many keys', async () => {
    scene.answer = serve(keys('a', 'b'));
    const directories = open({ limits: { directoriesMax: 3, keysMax: 5 } });
    directories.register([1, 2, 3, 4].map((number) => agentAt(number)));
    await directories.refreshDue();
    const codes = directories.states().map(({ problem, keyCount }) => problem?.code ?? keyCount);
    assert.deepEqual(codes.map(String).toSorted(), ['2', '2', 'directories_too_many', 'memory_full']);
    assert.equal(scene.requests.length, 3);
    // A directory that gets smaller is always read.
    clock.pass(day);
    scene.answer = serve(keys('a'));
    await directories.refreshDue();
    assert.deepEqual(
      directories.states().map(({ problem, keyCount }) => problem?.code ?? keyCount),
      [1, 1, 1, 'directories_too_many'],
    );
  });

  test('lose withdrawn keys even if there is no room for new ones', async () => {
    const kept = newJwk({ kid: 'kept' });
    scene.answer = serve({ keys: [newJwk({ kid: 'withdrawn' }), kept] });
    const directories = await openOne({ limits: { keysMax: 2 } });
    clock.pass(day);
    scene.answer = serve({ keys: [newJwk({ kid: 'new' }), newJwk({ kid: 'newer' }), kept] });
    await directories.refreshDue();
    const found = ['withdrawn', 'kept', 'new'].map((kid) => shown(directories.find(one, kid)));
    assert.deepEqual(found, ['key_unknown', 'kept', 'key_unknown']);
    assert.equal(directories.state(one)?.problem?.code, 'memory_full');
  });

  test('report a bug of ours, and go on', async () => {
    scene.answer = serve(keys('a'));
    const errors: unknown[] = [];
    const bug = new Error('a bug');
    const directories = await openOne({
      onError: (error) => errors.push(error),
      onFetched: () => {
        throw bug;
      },
    });
    assert.deepEqual([errors, shown(directories.find(one, 'a'))], [[bug], 'a']);
  });

  test('are refreshed a few at a time', async () => {
    let running = 0;
    let runningMax = 0;
    scene.answer = (socket, head) => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      socket.on('close', () => (running -= 1));
      setImmediate(() => serve(keys('a'))(socket, head));
    };
    const directories = open({ limits: { refreshesMax: 2 } });
    directories.register(Array.from({ length: 12 }, (_, number) => agentAt(number)));
    await directories.refreshDue();
    assert.equal(scene.requests.length, 12);
    // The server may see the end of one after the beginning of the next.
    assert.ok(runningMax <= 4, String(runningMax));
  });

  test('end at once when the service stops, and nothing is fetched afterwards', async () => {
    const directories = open();
    directories.register([one, agentAt(1)]);
    const asked = new Promise<void>((resolve) => (scene.answer = () => resolve()));
    const finding = directories.findOrFetch(one, 'a', stranger);
    await asked;
    await directories.close();
    assert.equal(shown(await finding), 'closing');
    const { length } = scene.resolved;
    await Promise.all([directories.refreshDue(), directories.refreshNow(agentAt(1))]);
    await directories.findOrFetch(agentAt(1), 'a', stranger);
    assert.equal(scene.resolved.length, length);
  });

  test('that only a request names are fetched if the operator allows it', async () => {
    scene.answer = serve(keys('a'));
    const directories = openForStrangers();
    assert.equal(shown(directories.find(one, 'a')), 'not_fetched');
    assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'a');
    assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'a');
    assert.equal(scene.requests.length, 1);
    assert.deepEqual([directories.states(), directories.snapshot()], [[], []]);
    assert.equal(directories.state(one)?.isRegistered, false);
    // What is used is kept up to date.
    clock.pass(3600);
    const asked = new Promise<void>((resolve) => {
      scene.answer = (socket, head) => {
        serve(keys('b'))(socket, head);
        resolve();
      };
    });
    assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'a');
    await asked;
    assert.equal(shown(await directories.findOrFetch(one, 'b', stranger)), 'b');
  });

  test('that only a request names have few keys', async () => {
    scene.answer = serve(keys(...Array.from({ length: 30 }, (_, index) => `k${index}`)));
    const directories = openForStrangers();
    await directories.findOrFetch(one, 'k0', stranger);
    assert.deepEqual(directories.state(one)?.skipped, { too_many: 10 });
  });

  test('that failed are not fetched again for five minutes', async () => {
    scene.answer = broken;
    const directories = openForStrangers();
    for (let tries = 0; tries < 10; tries++)
      assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'status_not_ok');
    assert.equal(scene.requests.length, 1);
    clock.pass(5 * minute);
    scene.answer = serve(keys('a'));
    assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'a');
    assert.equal(scene.requests.length, 2);
  });

  test('that strangers make up push no good one out, and stay few', async () => {
    scene.answer = serve(keys('a'));
    const directories = openForStrangers({
      strangers: { perMinute: 1e6, perHostPerMinute: 1e6, perAskerPerMinute: 1e6 },
    });
    for (const number of [1, 2, 3]) await directories.findOrFetch(agentAt(number), 'a', stranger);
    scene.names.set('agent.example', []);
    for (let number = 0; number < 2000; number++)
      assert.equal(
        shown(await directories.findOrFetch(at('agent.example', `/${number}`), 'a', stranger)),
        'name_unresolved',
      );
    assert.deepEqual(directories.unregisteredCounts, { good: 3, others: 1000 });
    for (const number of [1, 2, 3]) assert.equal(shown(directories.find(agentAt(number), 'a')), 'a');
    // A fourth good one takes the place of the one that was used longest ago.
    await directories.findOrFetch(agentAt(1), 'a', stranger);
    await directories.findOrFetch(agentAt(4), 'a', stranger);
    const found = [1, 2, 3, 4].map((number) => shown(directories.find(agentAt(number), 'a')));
    assert.deepEqual(found, ['a', 'not_fetched', 'a', 'a']);
    assert.equal(directories.unregisteredCounts.good, 3);
  });

  test('are fetched for strangers so often in all, by caller, and by host', async () => {
    const attempt = async (
      strangers: DirectoriesOptions['strangers'],
      where: (number: number) => DirectoryLocation,
      who: (number: number) => string,
    ): Promise<number> => {
      scene.resolved.length = 0;
      const directories = openForStrangers({ ...(strangers && { strangers }) });
      for (let number = 0; number < 200; number++) {
        scene.names.set(new URL(where(number).url).hostname, []);
        await directories.findOrFetch(where(number), 'a', { owner: who(number) });
      }
      // What is limited says so, and leaves nothing behind.
      const last = await directories.findOrFetch(where(200), 'a', { owner: who(0) });
      assert.equal(shown(last), 'fetch_limited');
      assert.equal(directories.unregisteredCounts.others, scene.resolved.length);
      return scene.resolved.length;
    };
    const everywhere = (number: number): DirectoryLocation => agentAt(number);
    const sameHost = (number: number): DirectoryLocation => agentAt(0, `/${number}`);
    assert.equal(await attempt(undefined, everywhere, String), 22);
    assert.equal(await attempt(undefined, everywhere, () => 'one'), 3);
    assert.equal(await attempt(undefined, sameHost, String), 5);
    assert.equal(await attempt({ perMinute: 12 }, everywhere, String), 4);
  });

  test('are fetched for strangers at most sixty times in a minute', async () => {
    const directories = openForStrangers();
    let number = 0;
    for (let second = 0; second <= minute; second++) {
      for (let tries = 0; tries < 5; tries++, number++) {
        scene.names.set(`a${number}.agents.example`, []);
        await directories.findOrFetch(agentAt(number), 'a', { owner: String(number) });
      }
      clock.pass(1);
    }
    assert.ok(scene.resolved.length > 40 && scene.resolved.length <= 60, String(scene.resolved.length));
  });

  test('are fetched for strangers so many at a time, with some left for registered ones', async () => {
    const directories = openForStrangers({ limits: { unregisteredMax: 100 } });
    const registered = [101, 102, 103].map((number) => agentAt(number));
    directories.register(registered);
    const release = hold(keys('a'));
    const made = Array.from({ length: 10 }, (_, number) =>
      directories.findOrFetch(agentAt(number), 'a', { owner: String(number) }),
    );
    const real = registered.map((location, index) =>
      directories.findOrFetch(location, 'a', { owner: `r${index}` }),
    );
    release();
    const count = async (lookups: readonly Promise<KeyLookup>[], text: string): Promise<number> =>
      (await Promise.all(lookups)).filter((lookup) => shown(lookup) === text).length;
    assert.deepEqual([await count(made, 'a'), await count(made, 'fetch_limited')], [6, 4]);
    assert.deepEqual([await count(real, 'a'), await count(real, 'fetch_limited')], [2, 1]);
    // All of it is given back.
    clock.pass(minute);
    assert.equal(shown(await directories.findOrFetch(registered[2]!, 'a', stranger)), 'a');
  });

  test('that are registered are fetched while strangers use up their share', async () => {
    scene.answer = serve(keys('a'));
    const directories = openForStrangers();
    directories.register([one]);
    await directories.refreshDue();
    clock.pass(5 * minute);
    scene.answer = serve(keys('b'));
    for (let number = 0; number < 100; number++) {
      scene.names.set(`a${number}.agents.example`, []);
      await directories.findOrFetch(agentAt(number), 'a', { owner: String(number) });
    }
    assert.equal(shown(await directories.findOrFetch(one, 'b', stranger)), 'b');
  });

  test('with URLs that may not be fetched cost a stranger nothing and us nothing', async () => {
    const directories = openForStrangers();
    for (let number = 0; number < 100; number++) {
      const location: DirectoryLocation = { form: 'key-set', url: `https://10.0.0.${number}/` };
      assert.equal(shown(await directories.findOrFetch(location, 'a', stranger)), 'url_host_is_address');
    }
    assert.deepEqual([directories.unregisteredCounts.others, scene.resolved.length], [0, 0]);
    scene.answer = serve(keys('a'));
    assert.equal(shown(await directories.findOrFetch(one, 'a', stranger)), 'a');
  });
});
