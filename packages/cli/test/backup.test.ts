import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { SignedRequest } from '@countersign/signature/node';
import { type Answer, baseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { TestClock } from '@countersign/testing/test-clock';
import { waitUntil } from '@countersign/testing/wait-until';
import { exits } from '../src/exits.ts';
import { type Ended, run } from './run.ts';

const databaseName = 'countersign.sqlite';

async function openScene(t: TestContext): Promise<{
  readonly running: RunningService;
  readonly clock: TestClock;
  readonly folder: string;
  readonly backUp: (file: string) => Promise<Ended>;
}> {
  const clock = new TestClock(1_800_000_000);
  const running = await runService({}, { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs });
  t.after(() => running.close());
  const folder = temporaryFolder(t);
  const backUp = (file: string): Promise<Ended> =>
    run(['backup', file, '--data', running.dataFolder, '--json'], { folder });
  return { running, clock, folder, backUp };
}

function clientIdsIn(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('select client_id from clients order by rowid')
      .all()
      .map(({ client_id: id }) => id);
  } finally {
    database.close();
  }
}

function send(running: RunningService, { method, url, headers }: SignedRequest): Promise<Answer> {
  return running.send({ method, url, headers: { ...headers } });
}

describe('countersign backup', () => {
  it('overwrites nothing, and leaves nothing behind when it fails', async (t) => {
    const { folder, backUp } = await openScene(t);
    writeFileSync(join(folder, 'there'), 'kept');
    const refused = await backUp('there');
    assert.equal(refused.code, exits.local.code);
    assert.match(refused.out, /there cannot be written: it already exists/);
    assert.match((await backUp('no-folder/backup')).out, /cannot be written: ENOENT/);
    assert.deepEqual(readdirSync(folder), ['there']);
  });

  it('needs a registry in a data folder', async (t) => {
    const folder = temporaryFolder(t);
    const missing = await run(['backup', 'copy', '--data', 'nowhere'], { folder });
    assert.match(missing.errors, /no registry in .*nowhere/);
    writeFileSync(join(folder, databaseName), 'x'.repeat(5000));
    const other = await run(['backup', 'copy', '--data', '.'], { folder });
    assert.equal(other.code, exits.local.code);
    assert.match(other.errors, /not a database/);
    const environment = { COUNTERSIGN_DATABASE_URL: 'postgresql://user:hunter2@127.0.0.1:1/none' };
    const postgres = await run(['backup', 'copy'], { folder, environment });
    assert.equal(postgres.code, exits.usage.code);
    assert.match(postgres.errors, /pg_dump/);
    assert.ok(!existsSync(join(folder, 'copy')));
  });

  it('copies all that was answered while others go on writing, into one private file', async (t) => {
    const { running, folder, backUp } = await openScene(t);
    const added: string[] = [];
    const copies: readonly string[] = ['backup-1', 'backup-2', 'backup-3'];
    const writer = { goesOn: true };
    const writing = running.change(async (registry) => {
      while (writer.goesOn && added.length < 300) {
        const client = { name: `Client ${added.length}`, network: [{ entry: '0.0.0.0' }], roles: [] };
        added.push((await registry.addClient(client)).clientId);
        await setImmediate();
      }
    });
    try {
      for (const name of copies) {
        const before = added.length;
        const { code, out } = await backUp(name);
        assert.equal(code, exits.ok.code, out);
        const file = join(folder, name);
        const ids = clientIdsIn(file);
        assert.ok(ids.length >= before, 'what was answered before is in it');
        // The last one may be stored although its response has not arrived.
        await waitUntil(() => added.length >= ids.length, 'the answer to the last one');
        assert.deepEqual(ids, added.slice(0, ids.length), 'and nothing else');
        assert.equal((JSON.parse(out) as { bytes: number }).bytes, statSync(file).size);
        if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
      }
    } finally {
      writer.goesOn = false;
      await writing;
    }
    assert.deepEqual(readdirSync(folder).toSorted(), copies);
  });
});

describe('a service that starts on a backup', () => {
  it('serves the same clients, and lets no signature pass that was used before or after the backup', async (t) => {
    const { running, clock, folder, backUp } = await openScene(t);
    const { signer } = await running.addClient();
    const sign = (aheadSeconds = 0): ReturnType<typeof signer.sign> =>
      signer.sign(
        { method: 'POST', url: `${baseUrl}/v1/payments/none/cancel` },
        { created: clock.seconds + aheadSeconds },
      );
    const [before, after, ahead] = [sign(), sign(1), sign(60)];
    const codeOf = async (service: RunningService, request: typeof before): Promise<unknown> =>
      (await send(service, request)).json()['code'];
    assert.equal(await codeOf(running, before), 'not_found');
    assert.equal((await backUp('backup.sqlite')).code, exits.ok.code);
    assert.equal(await codeOf(running, after), 'not_found');
    assert.equal(await codeOf(running, ahead), 'not_found');
    await running.service.stop();

    const restored = join(folder, 'restored');
    mkdirSync(restored);
    copyFileSync(join(folder, 'backup.sqlite'), join(restored, databaseName));
    const again = await runService(
      { COUNTERSIGN_DATA_FOLDER: restored },
      { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs },
    );
    try {
      for (const used of [before, after, ahead])
        assert.equal(await codeOf(again, used), 'recently_restarted');
      const refusal = await send(again, sign(2));
      assert.deepEqual([refusal.status, refusal.headers['retry-after']], [503, '61']);
      clock.pass(61);
      assert.equal(await codeOf(again, sign()), 'not_found');
      for (const used of [before, after, ahead])
        assert.equal(await codeOf(again, used), 'recently_restarted');
    } finally {
      await again.close();
    }
  });

  it('in the folder that it came from goes on at once, and still knows what was used', async (t) => {
    const { running, folder, backUp } = await openScene(t);
    const { signer } = await running.addClient();
    const used = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments/none/cancel` });
    assert.equal((await backUp('backup.sqlite')).code, exits.ok.code);
    assert.equal((await send(running, used)).status, 404);
    await running.service.stop();
    for (const end of ['-wal', '-shm']) rmSync(join(running.dataFolder, databaseName + end), { force: true });
    copyFileSync(join(folder, 'backup.sqlite'), join(running.dataFolder, databaseName));
    await running.restart();
    assert.equal((await send(running, used)).json()['code'], 'signature_replayed');
    const next = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments/other/cancel` });
    assert.equal((await send(running, next)).status, 404);
  });

  it('whose mark was taken away refuses as well', async (t) => {
    const { running } = await openScene(t);
    const { signer } = await running.addClient();
    const used = signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
    assert.equal((await send(running, used)).status, 200);
    await running.service.stop();
    for (const name of ['replay-mark.json', 'replay-snapshot.bin']) rmSync(join(running.dataFolder, name));
    await running.restart();
    assert.equal((await send(running, used)).json()['code'], 'recently_restarted');
  });
});
