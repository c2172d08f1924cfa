import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lockFolder } from '@countersign/gate/folder-lock';
import { createLogger, loadConfiguration, startService } from '@countersign/server';
import type { SignedRequest, UsedSignature } from '@countersign/signature/node';
import { type Answer, baseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { TestClock } from '@countersign/testing/test-clock';
import fc from 'fast-check';
import { PersistentReplayGuard } from '../../src/replay/persistent-guard.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/replay/snapshot.ts';

const noon = 1_800_000_000;
const markName = 'replay-mark.json';
const snapshotName = 'replay-snapshot.bin';

/** A service with one client, clocks that stand still, and requests that are signed but not yet sent. */
interface Scene {
  readonly running: RunningService;
  readonly clock: TestClock;
  /** Signs `POST /v1/payments`, each with another reference; `created` is now unless said otherwise. */
  sign(created?: number): SignedRequest;
  send(request: SignedRequest): Promise<Answer>;
  /** The code of the rejection, or `accepted`. */
  outcome(request: SignedRequest): Promise<string>;
  file(name: string): string;
}

async function openScene(t: TestContext): Promise<Scene> {
  const clock = new TestClock(noon);
  const running = await runService({}, { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs });
  t.after(() => running.close());
  const { signer } = await running.addClient();
  let payments = 0;
  const scene: Scene = {
    running,
    clock,
    sign(created = clock.seconds) {
      const body = JSON.stringify({ amount: 1, currency: 'EUR', reference: `order-${++payments}` });
      return signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments`, body }, { created });
    },
    send: ({ method, url, body, headers }) =>
      running.send({ method, url, body, headers: { 'Content-Type': 'application/json', ...headers } }),
    async outcome(request) {
      const answer = await scene.send(request);
      return answer.status === 201 ? 'accepted' : String(answer.json()['code']);
    },
    file: (name) => join(running.dataFolder, name),
  };
  return scene;
}

function used(name: string, more: Partial<UsedSignature> = {}): UsedSignature {
  return { id: name.padEnd(16, '.'), keyid: 'client', created: noon, isSafe: false, ...more };
}

describe('a mark that is damaged', () => {
  const damaged = [
    '',
    'null',
    '[]',
    '{}',
    '{"version":1,"reservedSeconds":1800000005,"snapshot',
    '{"version":1,"reservedSeconds":"1800000005","snapshotSha256":null}',
    '{"version":1,"reservedSeconds":1800000005.5,"snapshotSha256":null}',
    '{"version":1,"reservedSeconds":null,"snapshotSha256":null}',
    '{"version":1,"reservedSeconds":1800000005}',
    '{"version":2,"reservedSeconds":1800000005,"snapshotSha256":null}',
    '{"version":2,"reserved":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[1800000005],"refused":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[[1800000005]],"refused":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[[1800000005,1800000004]],"refused":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[[1800000005,1800000005.5]],"refused":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[[1800000005,null]],"refused":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[["1800000005","1800000006"]],"refused":[],"snapshotSha256":null}',
    '{"version":2,"reserved":[],"refused":{},"snapshotSha256":null}',
    '{"version":2,"reserved":[],"refused":[]}',
    '{"version":3,"reserved":[],"refused":[],"snapshotSha256":null}',
  ];
  for (const text of damaged) {
    test(`keeps the service from starting: ${JSON.stringify(text)}`, async (t) => {
      const dataFolder = temporaryFolder(t);
      writeFileSync(join(dataFolder, markName), text);
      assert.throws(
        () => new PersistentReplayGuard(dataFolder, noon),
        /replay-mark\.json is damaged.*Remove the file and start again/,
      );
      assert.equal(readFileSync(join(dataFolder, markName), 'utf8'), text);
    });
  }

  test('is told with advice at the start, and everything is closed again', async (t) => {
    const scene = await openScene(t);
    const before = scene.sign();
    assert.equal(await scene.outcome(before), 'accepted');
    await scene.running.service.stop();
    writeFileSync(scene.file(markName), 'damaged');
    await assert.rejects(scene.running.restart(), /Remove the file and start again/);
    rmSync(scene.file(markName));
    await scene.running.restart();
    assert.equal(await scene.outcome(before), 'recently_restarted');
    scene.clock.pass(61);
    assert.equal(await scene.outcome(before), 'recently_restarted');
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
  });
});

describe('a snapshot that is not the one of the last clean stop', () => {
  const damages: Readonly<Record<string, (snapshotFile: string, markFile: string, old: Buffer) => void>> = {
    'is missing': (file) => rmSync(file),
    'is empty': (file) => writeFileSync(file, ''),
    'has one other bit': (file) => {
      const bytes = readFileSync(file);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(file, bytes);
    },
    'is cut off': (file) => writeFileSync(file, readFileSync(file).subarray(0, -1)),
    'is from an earlier stop': (file, _markFile, old) => writeFileSync(file, old),
    'has another form, under a mark that fits': (file, markFile) => {
      const bytes = Buffer.from('another form');
      writeFileSync(file, bytes);
      const mark = JSON.parse(readFileSync(markFile, 'utf8')) as object;
      const snapshotSha256 = createHash('sha256').update(bytes).digest('hex');
      writeFileSync(markFile, JSON.stringify({ ...mark, snapshotSha256 }));
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    test(`${what}: the start counts as one after a crash`, async (t) => {
      const scene = await openScene(t);
      await scene.running.service.stop();
      const old = readFileSync(scene.file(snapshotName));
      await scene.running.restart();
      const before = scene.sign();
      assert.equal(await scene.outcome(before), 'accepted');
      await scene.running.service.stop();
      damage(scene.file(snapshotName), scene.file(markName), old);
      await scene.running.restart();
      assert.equal(await scene.outcome(before), 'recently_restarted');
      assert.equal(await scene.outcome(scene.sign(noon + 2)), 'recently_restarted');
      assert.equal(await scene.outcome(scene.sign(noon + 3)), 'accepted');
    });
  }
});

describe('a mark that cannot be written', () => {
  for (const [what, blocked] of [
    ['no new file can be made', `${markName}.new`],
    ['the file cannot be replaced', markName],
  ] as const) {
    test(`${what}: refused with 503, nothing remembered, told once in the log`, async (t) => {
      const dataFolder = temporaryFolder(t);
      const errors: unknown[] = [];
      const guard = new PersistentReplayGuard(dataFolder, noon, {
        onWriteError: (error) => errors.push(error),
      });
      assert.equal(guard.use(used('covered'), noon), undefined);

      const file = join(dataFolder, blocked);
      rmSync(file, { force: true });
      mkdirSync(file);
      for (const name of ['one', 'two']) {
        const refusal = guard.use(used(name, { created: noon + 6 }), noon + 6);
        assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['guard_unavailable', 5]);
      }
      assert.equal(guard.size, 1);
      assert.equal(errors.length, 1);
      // What the mark covers already is decided as ever.
      assert.equal(guard.use(used('covered'), noon + 6)?.code, 'signature_replayed');
      assert.equal(guard.use(used('covered too', { created: noon + 2 }), noon + 6), undefined);

      rmSync(file, { recursive: true });
      assert.equal(guard.use(used('one', { created: noon + 6 }), noon + 6), undefined);
      assert.equal(guard.use(used('one', { created: noon + 6 }), noon + 6)?.code, 'signature_replayed');
      mkdirSync(`${join(dataFolder, markName)}.new`);
      guard.use(used('three', { created: noon + 60 }), noon + 6);
      assert.equal(errors.length, 2);
    });
  }

  test('over HTTP: 503 with Retry-After, and the same request passes when it can be written again', async (t) => {
    const scene = await openScene(t);
    mkdirSync(scene.file(`${markName}.new`));
    const request = scene.sign();
    const answer = await scene.send(request);
    assert.deepEqual(
      [answer.status, answer.json()['code'], answer.headers['retry-after']],
      [503, 'guard_unavailable', '5'],
    );
    assert.ok(!answer.text.includes(scene.running.dataFolder));
    rmSync(scene.file(`${markName}.new`), { recursive: true });
    assert.equal(await scene.outcome(request), 'accepted');
    assert.equal(await scene.outcome(request), 'signature_replayed');
  });

  const noLimits = process.platform === 'win32' && 'Windows has no such limit';
  test('no file descriptor is left: it is written all the same', { skip: noLimits }, async (t) => {
    const dataFolder = temporaryFolder(t);
    const script = fileURLToPath(new URL('guard-without-descriptors.ts', import.meta.url));
    const shell = [
      '-c',
      'ulimit -n 128; exec "$@"',
      'sh',
      process.execPath,
      script,
      dataFolder,
      String(noon),
    ];
    const { stdout } = await promisify(execFile)('sh', shell);
    assert.deepEqual(JSON.parse(stdout), { opening: 'EMFILE', refusals: [null, null, null] });
    const { reserved } = JSON.parse(readFileSync(join(dataFolder, markName), 'utf8')) as {
      reserved: readonly (readonly number[])[];
    };
    assert.deepEqual(reserved.at(-1), [noon + 28, noon + 32]);
    const next = new PersistentReplayGuard(dataFolder, noon);
    assert.equal(next.use(used('30', { created: noon + 30 }), noon + 30)?.code, 'recently_restarted');
  });

  test('when it happens at the stop, the next start counts as one after a crash', (t) => {
    const dataFolder = temporaryFolder(t);
    const first = new PersistentReplayGuard(dataFolder, noon);
    first.use(used('one'), noon);
    mkdirSync(join(dataFolder, `${snapshotName}.new`));
    assert.throws(() => first.close(), /EISDIR|EPERM/);
    const next = new PersistentReplayGuard(dataFolder, noon);
    assert.equal(next.use(used('one'), noon)?.code, 'recently_restarted');
  });

  test('when it happens at the stop, everything else is closed all the same', async (t) => {
    const dataFolder = temporaryFolder(t);
    const configuration = loadConfiguration({ COUNTERSIGN_PORT: '0', COUNTERSIGN_DATA_FOLDER: dataFolder });
    const silent = createLogger('silent', '');
    const service = await startService(configuration, silent);
    mkdirSync(join(dataFolder, `${snapshotName}.new`));
    await assert.rejects(service.stop(), /EISDIR|EPERM/);
    await assert.rejects(fetch(service.address));
    rmSync(join(dataFolder, `${snapshotName}.new`), { recursive: true });
    const next = await startService(configuration, silent);
    await next.stop();
  });

  test('at the start it is told, and the files of the last clean stop stay as they were', (t) => {
    const dataFolder = temporaryFolder(t);
    const first = new PersistentReplayGuard(dataFolder, noon);
    first.use(used('one'), noon);
    first.close();
    mkdirSync(join(dataFolder, `${markName}.new`));
    assert.throws(() => new PersistentReplayGuard(dataFolder, noon), /EISDIR|EPERM/);
    rmSync(join(dataFolder, `${markName}.new`), { recursive: true });
    const guard = new PersistentReplayGuard(dataFolder, noon);
    assert.equal(guard.use(used('one'), noon)?.code, 'signature_replayed');
    assert.equal(guard.use(used('two'), noon), undefined);
  });
});

describe('after a crash', () => {
  test('refusals end exactly when Retry-After says, by the clock of the service', async (t) => {
    const scene = await openScene(t);
    scene.clock.pass(0.25);
    const before = scene.sign();
    assert.equal(await scene.outcome(before), 'accepted');
    scene.clock.pass(1);
    await scene.running.crash();
    for (const [passed, wait] of [
      [0, 2],
      [1, 1],
    ] as const) {
      scene.clock.pass(passed);
      const answer = await scene.send(scene.sign());
      assert.deepEqual(
        [answer.status, answer.json()['code'], answer.headers['retry-after']],
        [503, 'recently_restarted', String(wait)],
      );
    }
    scene.clock.pass(1);
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
    assert.equal(await scene.outcome(before), 'recently_restarted');
  });

  test('a client whose clock is 55 s fast costs the others the seconds that it used, no more', async (t) => {
    const scene = await openScene(t);
    const ahead = [scene.sign(noon + 55), scene.sign(noon + 57)];
    for (const request of ahead) assert.equal(await scene.outcome(request), 'accepted');
    await scene.running.crash();
    const now = scene.sign();
    assert.equal(await scene.outcome(now), 'accepted');
    assert.equal(await scene.outcome(now), 'signature_replayed');
    // The client itself signs for a later second.
    const answer = await scene.send(scene.sign(noon + 55));
    assert.deepEqual([answer.json()['code'], answer.headers['retry-after']], ['recently_restarted', '1']);
    assert.equal(await scene.outcome(scene.sign(noon + 56)), 'accepted');
    const outcomes: string[] = [];
    for (let second = noon; second < noon + 60; second++) {
      outcomes.push(await scene.outcome(scene.sign()));
      scene.clock.pass(1);
    }
    assert.deepEqual(
      outcomes.flatMap((outcome, second) => (outcome === 'accepted' ? [] : [[second, outcome]])),
      [
        [55, 'recently_restarted'],
        [57, 'recently_restarted'],
      ],
    );
    for (const request of ahead) assert.equal(await scene.outcome(request), 'recently_restarted');
  });

  test('a clock that was ten minutes fast for a moment keeps nobody out when it is right again', async (t) => {
    const scene = await openScene(t);
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
    scene.clock.jump(600);
    const wrong = scene.sign();
    assert.equal(await scene.outcome(wrong), 'accepted');
    scene.clock.jump(-600);
    scene.clock.pass(3);
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
    await scene.running.crash();
    scene.clock.pass(3);
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
    scene.clock.jump(594);
    assert.equal(await scene.outcome(wrong), 'recently_restarted');
    assert.equal(await scene.outcome(scene.sign()), 'recently_restarted');
  });

  for (const endings of [
    ['crash', 'restart'],
    ['crash', 'crash'],
    ['restart', 'crash'],
    ['restart', 'crash', 'restart'],
    ['crash', 'restart', 'restart', 'crash', 'restart'],
  ] as const) {
    // A request in between may write the mark anew, which would hide that a start has lost it.
    for (const asksBetween of endings.length > 3 ? [false, true] : [false]) {
      const when = asksBetween ? 'asked after each' : 'asked at the end';
      test(`what was accepted before stays refused after ${endings.join(', ')}, ${when}`, async (t) => {
        const scene = await openScene(t);
        const before = scene.sign();
        assert.equal(await scene.outcome(before), 'accepted');
        for (const ending of endings) {
          await scene.running[ending]();
          scene.clock.pass(1);
          if (asksBetween) assert.notEqual(await scene.outcome(before), 'accepted');
        }
        assert.notEqual(await scene.outcome(before), 'accepted');
        scene.clock.pass(6);
        assert.equal(await scene.outcome(scene.sign()), 'accepted');
        assert.notEqual(await scene.outcome(before), 'accepted');
      });
    }
  }

  test('without any use before it nothing is refused', async (t) => {
    const scene = await openScene(t);
    await scene.running.crash();
    assert.equal(await scene.outcome(scene.sign(noon - 300)), 'accepted');
  });

  test('the rest of an unfinished write is of no account', (t) => {
    const dataFolder = temporaryFolder(t);
    const first = new PersistentReplayGuard(dataFolder, noon);
    first.use(used('one'), noon);
    first.close();
    writeFileSync(join(dataFolder, `${markName}.new`), '{"vers');
    writeFileSync(join(dataFolder, `${snapshotName}.new`), 'rest');
    const next = new PersistentReplayGuard(dataFolder, noon);
    assert.equal(next.use(used('one'), noon)?.code, 'signature_replayed');
    assert.equal(next.use(used('two'), noon), undefined);
  });
});

describe('after a clean stop', () => {
  test('nothing is refused but what was used', async (t) => {
    const scene = await openScene(t);
    const before = [scene.sign(noon - 300), scene.sign(), scene.sign(noon + 60)];
    const unsent = [scene.sign(noon - 300), scene.sign(), scene.sign(noon + 60)];
    for (const request of before) assert.equal(await scene.outcome(request), 'accepted');
    await scene.running.restart();
    for (const request of before) assert.equal(await scene.outcome(request), 'signature_replayed');
    for (const request of unsent) assert.equal(await scene.outcome(request), 'accepted');
  });

  test('what had been forgotten stays refused should the clock go back', async (t) => {
    const scene = await openScene(t);
    const before = scene.sign();
    assert.equal(await scene.outcome(before), 'accepted');
    scene.clock.pass(400);
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
    await scene.running.restart();
    scene.clock.jump(-400);
    assert.equal(await scene.outcome(before), 'recently_restarted');
  });

  test('a start that fails keeps what is remembered', async (t) => {
    const scene = await openScene(t);
    const before = scene.sign();
    assert.equal(await scene.outcome(before), 'accepted');
    await scene.running.service.stop();
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const configuration = { ...scene.running.service.configuration, port };
    await assert.rejects(startService(configuration, createLogger('silent', '')), /EADDRINUSE/);
    await scene.running.restart();
    assert.equal(await scene.outcome(before), 'signature_replayed');
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
  });

  test('the guard of the old life lets nothing pass any more', (t) => {
    const guard = new PersistentReplayGuard(temporaryFolder(t), noon);
    assert.equal(guard.use(used('one'), noon), undefined);
    guard.close();
    assert.equal(guard.use(used('two'), noon)?.code, 'guard_unavailable');
  });

  test('a client and an account still have only their shares', (t) => {
    const dataFolder = temporaryFolder(t);
    const first = new PersistentReplayGuard(dataFolder, noon, { entriesMax: 8 });
    for (const name of ['one', 'two'])
      assert.equal(first.use(used(name, { accountId: 'account' }), noon), undefined);
    for (const name of ['three', 'four'])
      assert.equal(first.use(used(name, { accountId: 'account', keyid: 'second' }), noon), undefined);
    first.close();
    const next = new PersistentReplayGuard(dataFolder, noon, { entriesMax: 8 });
    const of = (keyid: string, accountId: string): string | undefined =>
      next.use(used(`five ${keyid}`, { keyid, accountId }), noon)?.reason;
    assert.equal(of('client', 'account'), 'this client has used up its share of the replay guard');
    assert.equal(of('third', 'account'), 'this account has used up its share of the replay guard');
    assert.equal(of('other', 'another account'), undefined);
  });
});

describe('the files', () => {
  test('a first start refuses nothing', async (t) => {
    const scene = await openScene(t);
    assert.equal(await scene.outcome(scene.sign(noon - 300)), 'accepted');
    assert.equal(await scene.outcome(scene.sign(noon + 60)), 'accepted');
  });

  const windows = process.platform === 'win32' && 'Windows has no such file modes';
  test('are for their owner alone', { skip: windows }, async (t) => {
    const scene = await openScene(t);
    await scene.outcome(scene.sign());
    const modes = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(scene.running.dataFolder).map((name) => [
          name,
          (statSync(scene.file(name)).mode & 0o777).toString(8),
        ]),
      );
    const whileRunning = modes();
    for (const name of [markName, 'service.lock', 'countersign.sqlite'])
      assert.equal(whileRunning[name], '600', name);
    await scene.running.service.stop();
    const afterwards = modes();
    assert.ok(afterwards[snapshotName]);
    for (const [name, mode] of Object.entries(afterwards)) assert.equal(mode, '600', name);
  });

  test('the mark is written once in 3 seconds of traffic, and before the first use of any other second', (t) => {
    const dataFolder = temporaryFolder(t);
    const guard = new PersistentReplayGuard(dataFolder, noon);
    const reserved = (): unknown => {
      const mark = JSON.parse(readFileSync(join(dataFolder, markName), 'utf8')) as {
        reserved: readonly (readonly [number, number])[];
      };
      return mark.reserved.map(([first, last]) => [first - noon, last - noon]);
    };
    const marks = [
      [0, 0],
      [1, 1],
      [0, 2],
      [3, 3],
      [5, 5],
      [7, 5],
      [62, 5],
      [-100, 5],
      [62, 6],
      [6, 6],
    ].map(([created, now]) => {
      guard.use(used(`at ${created} ${now}`, { created: noon + created! }), noon + now!);
      return reserved();
    });
    assert.deepEqual(marks, [
      [[-2, 2]],
      [[-2, 2]],
      [[-2, 2]],
      [[-2, 5]],
      [[-2, 5]],
      [[-2, 7]],
      [
        [-2, 7],
        [62, 62],
      ],
      ...Array.from({ length: 3 }, () => [
        [-112, -97],
        [-2, 7],
        [62, 62],
      ]),
    ]);
  });

  test('a client that uses every past second of the window causes few writes, in whatever order', (t) => {
    const pastSeconds = Array.from({ length: 300 }, (_, index) => noon - 300 + index);
    for (const order of [pastSeconds, pastSeconds.toReversed()]) {
      const dataFolder = temporaryFolder(t);
      const guard = new PersistentReplayGuard(dataFolder, noon);
      const marks = new Set<string>();
      for (const created of order) {
        assert.equal(guard.use(used(`past ${created}`, { created }), noon), undefined);
        marks.add(readFileSync(join(dataFolder, markName), 'utf8'));
      }
      assert.ok(marks.size <= 21, `${marks.size} writes`);
      guard.close();
    }
  });

  test('a mark of the earlier form, with one second, counts for every second up to it', (t) => {
    const dataFolder = temporaryFolder(t);
    const mark = { version: 1, guardId: 'earlier', reservedSeconds: noon + 5, snapshotSha256: null };
    writeFileSync(join(dataFolder, markName), JSON.stringify(mark));
    const crashed = new PersistentReplayGuard(dataFolder, noon);
    assert.equal(crashed.guardId, 'earlier');
    for (const created of [noon - 300, noon, noon + 5]) {
      const refusal = crashed.use(used(`before ${created}`, { created }), noon);
      assert.deepEqual(
        [refusal?.code, refusal?.retryAfterSeconds],
        ['recently_restarted', created > noon ? 1 : 6],
      );
    }
    assert.equal(crashed.use(used('after', { created: noon + 6 }), noon), undefined);

    const stopped = new PersistentReplayGuard(dataFolder, noon);
    stopped.close();
    const { snapshotSha256 } = JSON.parse(readFileSync(join(dataFolder, markName), 'utf8')) as {
      snapshotSha256: string;
    };
    writeFileSync(join(dataFolder, markName), JSON.stringify({ ...mark, snapshotSha256 }));
    assert.equal(new PersistentReplayGuard(dataFolder, noon).use(used('new'), noon), undefined);
  });

  test('a snapshot is gone once a new life has begun', (t) => {
    const dataFolder = temporaryFolder(t);
    new PersistentReplayGuard(dataFolder, noon).close();
    assert.ok(existsSync(join(dataFolder, snapshotName)));
    const next = new PersistentReplayGuard(dataFolder, noon);
    assert.ok(!existsSync(join(dataFolder, snapshotName)));
    assert.equal(next.size, 0);
  });

  test('a snapshot comes back as it was written', () => {
    const id = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .map((bytes) => Buffer.from(bytes).toString('latin1'));
    const keyid = fc.string({ unit: 'grapheme' });
    const members = {
      created: fc.integer({ min: 0, max: 253_402_300_799 }),
      ids: fc.array(id, { maxLength: 20 }),
      entriesByClient: fc.array(
        fc.oneof(fc.tuple(keyid, fc.nat()), fc.tuple(keyid, fc.nat(), fc.string({ unit: 'grapheme' }))),
        { maxLength: 5 },
      ),
    };
    const second = fc.record(members, { noNullPrototype: true });
    const horizon = fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), fc.integer());
    fc.assert(
      fc.property(fc.array(second, { maxLength: 10 }), horizon, (remembered, horizonSeconds) => {
        const memory = { remembered, horizonSeconds };
        assert.deepEqual(decodeSnapshot(encodeSnapshot(memory)), memory);
      }),
    );
  });
});

describe('one data folder', () => {
  test('has one service at a time', async (t) => {
    const scene = await openScene(t);
    const { configuration } = scene.running.service;
    await assert.rejects(startService(configuration, createLogger('silent', '')), (error: Error) => {
      assert.match(
        error.message,
        /Another Countersign service is already using the data folder.*Stop it first, or .*COUNTERSIGN_DATA_FOLDER/,
      );
      return error.message.includes(configuration.dataFolder);
    });
    // The rejected start has not taken the lock away, which the operating system keeps for each process.
    const other = new ServiceProcess(configuration.dataFolder);
    t.after(() => other.end());
    await assert.rejects(other.listening(), /Another Countersign service/);
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
    await scene.running.restart();
    assert.equal(await scene.outcome(scene.sign()), 'accepted');
  });

  test('a lock that cannot be taken for another reason is told as such', (t) => {
    const dataFolder = temporaryFolder(t);
    writeFileSync(join(dataFolder, 'service.lock'), 'this is no lock, it is a text of some length');
    assert.throws(
      () => lockFolder(dataFolder, 'wait'),
      /service\.lock cannot be taken \(.*\)\. Check the data folder/,
    );
    rmSync(join(dataFolder, 'service.lock'));
    mkdirSync(join(dataFolder, 'service.lock'));
    assert.throws(
      () => lockFolder(dataFolder, 'wait'),
      /service\.lock cannot be taken \(.*\)\. Check the data folder/,
    );
    assert.throws(() => lockFolder(join(dataFolder, 'missing'), 'wait'), /cannot be taken \(ENOENT/);
  });

  test('is free again when its service was killed, and not before', async (t) => {
    const dataFolder = temporaryFolder(t);
    const first = new ServiceProcess(dataFolder);
    t.after(() => first.end());
    await first.listening();
    const second = new ServiceProcess(dataFolder);
    await assert.rejects(
      second.listening(),
      /exit code 1:\nCannot start: Another Countersign service is already using/,
    );
    assert.deepEqual(await first.end(), { code: null, signal: 'SIGKILL' });
    const third = new ServiceProcess(dataFolder);
    t.after(() => third.end());
    await third.listening();
    assert.deepEqual(await third.end('SIGTERM'), { code: 0, signal: null });
  });
});
