import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signer } from '@countersign/signature/node';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import {
  type Answer,
  baseUrl,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';
import { tally } from './postgres-nodes.ts';

/* Services that share a PostgreSQL database, called as their clients call them. */

const payments = '/v1/payments';

/** Prepares a signed payment that can be sent any number of times, to any node. */
function prepare(signer: Signer, reference: string): (node: RunningService) => Promise<Answer> {
  const body = JSON.stringify({ amount: 1250, currency: 'EUR', reference });
  const { headers } = signer.sign({ method: 'POST', url: baseUrl + payments, body });
  return (node) =>
    node.send({
      method: 'POST',
      url: payments,
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
}

const codeOf = (answer: Answer): string =>
  answer.status === 201 ? 'accepted' : String(answer.json()['code']);

/**
 * What becomes of a request when it is sent again as long as the node cannot decide, as its 503 asks for.
 *
 * @param onLate called when the guard has not answered in time: it may have remembered the request all the same
 */
function decided(send: () => Promise<Answer>, onLate = (): void => undefined): Promise<string> {
  return waitFor(async () => {
    const code = codeOf(await send());
    if (code === 'guard_unavailable') onLate();
    return code === 'guard_unavailable' || code === 'registry_stale' ? undefined : code;
  }, 'an answer of the guard');
}

/** Sends new payments until one is accepted. Resolves with the way to send it once more. */
async function accepted(
  node: RunningService,
  signer: Signer,
  reference: string,
): Promise<(node: RunningService) => Promise<Answer>> {
  let [count, text] = [0, ''];
  return waitFor(
    async () => {
      const send = prepare(signer, `${reference} ${(count += 1)}`);
      const answer = await send(node);
      ({ text } = answer);
      if (answer.status !== 201) assert.equal(answer.status, 503, text);
      return answer.status === 201 ? send : undefined;
    },
    () => `${reference}: ${text}`,
  );
}

async function references(node: RunningService, signer: Signer): Promise<string[]> {
  const answer = await sendSigned(node, signer, { method: 'GET', url: `${payments}?limit=100` });
  return (answer.json()['data'] as { reference: string }[]).map((payment) => payment.reference);
}

describe('three services on one PostgreSQL database', { skip: postgresSkip }, () => {
  let server: PostgresServer;
  let nodes: readonly RunningService[];
  let signer: Signer;
  let clientId: string;
  before(async () => {
    server = await PostgresServer.start();
    await server.query('create database nodes');
    const settings = {
      COUNTERSIGN_DATABASE_URL: server.url('nodes'),
      COUNTERSIGN_NODES: '3',
      COUNTERSIGN_GUARD_TIMEOUT_MS: '900',
    };
    nodes = await Promise.all([runService(settings), runService(settings), runService(settings)]);
    ({ signer, clientId } = await nodes[0]!.addClient());
    await Promise.all(nodes.map((node) => node.service.readRegistry()));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await server.remove();
  });

  test('one of 50 equal requests is accepted, whichever nodes they come to', async () => {
    let [rounds, lateRounds, paid] = [0, 0, 0];
    await waitUntil(
      async () => {
        const send = prepare(signer, `equal ${rounds}`);
        let late = 0;
        const codes = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            decided(
              () => send(nodes[index % 3]!),
              () => void (late += 1),
            ),
          ),
        );
        rounds += 1;
        if (late > 0) lateRounds += 1;
        const { accepted: passed = 0, signature_replayed: replayed } = tally(codes);
        paid += passed;
        // A guard that responded too late may have remembered the rejected one.
        assert.ok(passed === 1 || (passed === 0 && late > 0), JSON.stringify(tally(codes)));
        assert.equal(replayed, 50 - passed);
        return rounds - lateRounds >= 5;
      },
      () => `${lateRounds} of ${rounds} rounds had answers that came too late`,
    );
    const equal = (await references(nodes[1]!, signer)).filter((reference) => reference.startsWith('equal'));
    assert.equal(equal.length, paid);
  });

  test('a change counts on the others within a second, without being asked for', async () => {
    let asked = 0;
    for (const status of ['disabled', 'active', 'disabled', 'active'] as const) {
      await nodes[0]!.change((registry) =>
        status === 'active' ? registry.enableClient(clientId) : registry.disableClient(clientId),
      );
      const startedMs = performance.now();
      const expected = status === 'active' ? 200 : 403;
      for (const node of nodes)
        await waitUntil(async () => {
          const sentMs = performance.now() - startedMs;
          // Equal requests need a second each.
          const url = `${payments}?limit=${(asked++ % 100) + 1}`;
          const answer = await sendSigned(node, signer, { method: 'GET', url });
          if (answer.status === expected) return true;
          // A node that has not read the change by then says so, and decides nothing.
          if (sentMs > 1000) assert.equal(answer.status, 503, `${answer.text} after ${sentMs} ms`);
          return false;
        }, `status ${expected}`);
    }
  });

  const outages: Readonly<
    Record<string, { begin: () => Promise<void> | void; end: () => Promise<void> | void }>
  > = {
    'is killed': { begin: () => server.kill(), end: () => server.start() },
    'stands still': { begin: () => server.pause(), end: () => server.resume() },
  };
  for (const [what, { begin, end }] of Object.entries(outages)) {
    test(`the database ${what}: 503, nothing is done, and soon all is good`, async () => {
      const used = await accepted(nodes[0]!, signer, `before it ${what}`);
      await begin();
      try {
        for (let round = 0; round < 4; round += 1) {
          const sends = nodes.map((node, index) =>
            prepare(signer, `while it ${what} ${round} ${index}`)(node),
          );
          let answers: readonly Answer[] | undefined;
          const answered = Promise.all(sends).then((all) => (answers = all));
          answered.catch(() => undefined);
          // Without a limit of its own, a node would wait for the database.
          for (const answer of await waitFor(() => answers, 'every node answers')) {
            assert.equal(answer.status, 503, answer.text);
            assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
          }
          await sleep(400);
        }
      } finally {
        await end();
      }
      for (const [index, node] of nodes.entries()) await accepted(node, signer, `after it ${what} ${index}`);
      for (const node of nodes) assert.equal(await decided(() => used(node)), 'signature_replayed');
      const done = await references(nodes[2]!, signer);
      assert.deepEqual(
        done.filter((reference) => reference.startsWith('while')),
        [],
      );
    });
  }
});

describe('one service on PostgreSQL', { skip: postgresSkip }, () => {
  async function start(
    t: TestContext,
    settings: Readonly<Record<string, string>> = {},
    change = (url: string): string => url,
  ): Promise<RunningService> {
    const { url, remove } = await makePostgresDatabase('empty');
    const running = await runService({ COUNTERSIGN_DATABASE_URL: change(url), ...settings });
    t.after(async () => {
      await running.close();
      await remove();
    });
    return running;
  }

  test('needs no data folder', async (t) => {
    const dataFolder = join(temporaryFolder(t), 'never');
    const running = await start(t, { COUNTERSIGN_DATA_FOLDER: dataFolder });
    const { signer } = await running.addClient();
    await accepted(running, signer, 'one');
    assert.equal(existsSync(dataFolder), false);
  });

  test('forgets nothing when it starts again', async (t) => {
    const running = await start(t);
    const { signer } = await running.addClient();
    const send = await accepted(running, signer, 'once');
    await running.restart();
    assert.equal(await decided(() => send(running)), 'signature_replayed');
    await accepted(running, signer, 'at once');
  });

  test('may have the guard in its memory, and then has the data folder for itself', async (t) => {
    const running = await start(t, { COUNTERSIGN_GUARD: 'memory' });
    const { dataFolder } = running;
    const { signer } = await running.addClient();
    const send = await accepted(running, signer, 'once');
    assert.ok(existsSync(join(dataFolder, 'replay-mark.json')));
    assert.equal(existsSync(join(dataFolder, 'countersign.sqlite')), false);
    await running.restart();
    assert.equal(await decided(() => send(running)), 'signature_replayed');
  });

  test('shows its address without the password', async (t) => {
    const { configuration } = (await start(t, {}, (url) => url.replace('tests@', 'tests:hunter2@'))).service;
    const shown = [JSON.stringify(configuration), String(configuration.databaseUrl), inspect(configuration)];
    assert.doesNotMatch(shown.join('\n'), /hunter2/);
    assert.match(shown[0]!, /tests:\*\*\*@127\.0\.0\.1/);
  });
});
