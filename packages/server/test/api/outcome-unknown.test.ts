import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makePostgresDatabase, sharedServer } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { type Answer, runService, sendSigned } from '@countersign/testing/running-service';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { waitUntil } from '@countersign/testing/wait-until';
import pg from 'pg';

/* The database's response to a commit is lost: the commit is done, but the service cannot know. */

const url = '/v1/payments';
const payment = (reference: string): string => JSON.stringify({ amount: 1250, currency: 'EUR', reference });

/** Makes every commit of a payment wait while a lock is held, so that it can be cut off in the middle. */
const waitingCommits = `
  create function wait() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$;
  create constraint trigger wait after insert or update on payments deferrable initially deferred
    for each row execute function wait()`;

describe('the database goes away in a commit', { skip: postgresSkip }, () => {
  test('the answer is neither yes nor no, and with the same Idempotency-Key it is done once', async (t) => {
    const postgres = await sharedServer();
    const database = await makePostgresDatabase('migrated');
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    t.after(async () => {
      await holder.end();
      await database.remove();
    });
    const name = new URL(database.url).pathname.slice(1);
    const way = await TcpSwitch.open(postgres.port);
    t.after(() => way.close());
    const running = await runService({
      COUNTERSIGN_DATABASE_URL: `postgresql://tests@127.0.0.1:${way.port}/${name}`,
      // The commit waits for this test, and not for a time.
      COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS: '60000',
    });
    t.after(() => running.close());
    const { signer } = await running.addClient();
    await postgres.query(waitingCommits, name);
    const pay = (headers: Record<string, string>, reference: string) =>
      sendSigned(running, signer, { method: 'POST', url, body: payment(reference), headers });
    const recovered = (): Promise<number> =>
      waitUntil(
        async () => (await sendSigned(running, signer, { method: 'GET', url })).status === 200,
        'the database is reached again',
      );
    const count = async (): Promise<number> =>
      (await postgres.query('select reference from payments', name)).length;

    /** Cuts the connection off in the middle of a request's commit. The commit then continues. */
    const cutOff = async (asking: () => Promise<Answer>): Promise<Answer> => {
      await holder.query('select pg_advisory_lock(1)');
      const answer = asking();
      const early = answer.then(({ text }) => assert.fail(`answered before the commit: ${text}`));
      const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
      const isWaiting = async (): Promise<boolean> => (await holder.query(waiting)).rows.length === 1;
      await Promise.race([waitUntil(isWaiting, 'the commit'), early]);
      way.turn(postgres.port);
      await holder.query('select pg_advisory_unlock(1)');
      return answer;
    };

    const keyed = { 'Idempotency-Key': 'k1' };
    const answer = await cutOff(() => pay(keyed, 'one'));
    assert.deepEqual([answer.status, answer.json()['code']], [500, 'outcome_unknown']);
    await waitUntil(async () => (await count()) === 1, 'the payment');
    await recovered();
    const again = await pay(keyed, 'one');
    assert.deepEqual([again.status, again.headers['idempotency-replayed']], [201, 'true']);
    assert.equal(await count(), 1);

    // A statement that commits by itself is as much in doubt.
    const { paymentId } = again.json();
    const cancel = `${url}/${String(paymentId)}/cancel`;
    const cancelled = await cutOff(() => sendSigned(running, signer, { method: 'POST', url: cancel }));
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
