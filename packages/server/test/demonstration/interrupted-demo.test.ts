import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ServiceProcess } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { databaseFileName } from '../../src/registry/local-registry.ts';

const settings = { COUNTERSIGN_DEMONSTRATION: 'yes' };

test('demo data that a killed service has begun to write is complete after the next start, and there once', async (t) => {
  const dataFolder = temporaryFolder(t);
  const unfinished = join(dataFolder, 'demo', 'demo-data-unfinished');
  const isUnfinished = (): Promise<boolean> =>
    access(unfinished).then(
      () => true,
      () => false,
    );

  const first = new ServiceProcess(dataFolder, settings);
  t.after(() => first.end());
  await first.listening();
  const written = (): number => count(dataFolder, 'select count(*) as n from request_records');
  await waitUntil(isUnfinished, 'the demo data has begun');
  await waitUntil(() => written() > 0, 'the first requests');
  await waitUntil(
    () => written() >= 300,
    () => `${written()} of 300 requests`,
  );
  await first.end('SIGKILL');
  assert.equal(await isUnfinished(), true);
  const partial = count(dataFolder, demoRequests);

  const second = new ServiceProcess(dataFolder, settings);
  t.after(() => second.end());
  await second.listening();
  // All of it takes long on a busy machine, one batch does not.
  while (await isUnfinished()) {
    const before = written();
    await waitUntil(
      async () => written() !== before || !(await isUnfinished()),
      () => `still ${before} requests`,
    );
  }
  assert.ok(count(dataFolder, demoRequests) > Math.max(3000, partial));
  assert.equal(count(dataFolder, "select count(*) as n from demo_data where subject = 'client'"), 8);
  // The demo's own client is the ninth.
  assert.equal(count(dataFolder, 'select count(*) as n from clients'), 9);
  assert.equal(count(dataFolder, "select count(*) as n from demo_data where subject = 'person'"), 4);
  await second.end('SIGTERM');

  const third = new ServiceProcess(dataFolder, settings);
  t.after(() => third.end());
  await third.listening();
  assert.equal(await isUnfinished(), false);
  assert.equal(count(dataFolder, 'select count(*) as n from clients'), 9);
  await third.end('SIGTERM');
});

const demoRequests =
  "select count(*) as n from request_records where client_id in (select subject_id from demo_data where subject = 'client')";

/** Reads beside the service. */
function count(dataFolder: string, query: string): number {
  const database = new DatabaseSync(join(dataFolder, databaseFileName), { readOnly: true });
  try {
    return (database.prepare(query).get() as { n: number }).n;
  } finally {
    database.close();
  }
}
