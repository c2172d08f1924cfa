import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService, sendSigned } from '../running-service.ts';
import { makePostgresDatabase, sharedServer } from '../storage/postgres.ts';
import { postgresSkip } from '../storage/postgres-server.ts';
import { TcpSwitch } from '../storage/tcp-switch.ts';
import { waitUntil } from '../wait-until.ts';

/* The answer of the database to a commit is lost: it is done, and the service cannot know. */

const url = '/v1/payments';
const payment = (reference: string): string => JSON.stringify({ amount: 1250, currency: 'EUR', reference });

/** Makes every commit of a payment slow enough to be cut off in the middle. */
const slowCommits = `
  create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return null; end $$;
  create constraint trigger wait after insert or update on payments deferrable initially deferred
    for each row execute function wait()`;

describe('the database goes away in a commit', { skip: postgresSkip }, () => {
  test('the answer is neither yes nor no, and with the same Idempotency-Key it is done once', async (t) => {
    const postgres = await sharedServer();
    const database = await makePostgresDatabase('migrated');
    t.after(() => database.remove());
    const name = new URL(database.url).pathname.slice(1);
    const way = await TcpSwitch.open(postgres.port);
    t.after(() => way.close());
    const running = await runService({
      COUNTERSIGN_DATABASE_URL: `postgresql://tests@127.0.0.1:${way.port}/${name}`,
    });
    t.after(() => running.close());
    const { signer } = await running.addClient();
    await postgres.query(slowCommits, name);
    const pay = (headers: Record<string, string>, reference: string) =>
      sendSigned(running, signer, { method: 'POST', url, body: payment(reference), headers });
    const recovered = (): Promise<number> =>
      waitUntil(
        async () => (await sendSigned(running, signer, { method: 'GET', url })).status === 200,
        'the database is reached again',
      );
    const count = async (): Promise<number> =>
      (await postgres.query('select reference from payments', name)).length;

    const keyed = { 'Idempotency-Key': 'k1' };
    const [answer] = await Promise.all([pay(keyed, 'one'), sleep(250).then(() => way.turn(postgres.port))]);
    assert.deepEqual([answer.status, answer.json()['code']], [500, 'outcome_unknown']);
    await sleep(600);
    assert.equal(await count(), 1);
    await recovered();
    const again = await pay(keyed, 'one');
    assert.deepEqual([again.status, again.headers['idempotency-replayed']], [201, 'true']);
    assert.equal(await count(), 1);

    // A statement that commits by itself is as much in doubt.
    const { paymentId } = again.json();
    const cancel = `${url}/${String(paymentId)}/cancel`;
    const [cancelled] = await Promise.all([
      sendSigned(running, signer, { method: 'POST', url: cancel }),
      sleep(250).then(() => way.turn(postgres.port)),
    ]);
    assert.deepEqual([cancelled.status, cancelled.json()['code']], [500, 'outcome_unknown']);

    // Nothing can be reached: that is a no.
    await recovered();
    await postgres.query('drop trigger wait on payments', name);
    way.turn(1);
    const refused = await pay({}, 'two');
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '1');
    way.turn(postgres.port);
    await recovered();
    assert.equal(await count(), 1);
  });
});
