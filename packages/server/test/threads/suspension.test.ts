import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Backend } from '@countersign/testing/backend';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { postgres } from '@countersign/testing/postgres-backend';
import { type Answer, apiBaseUrl, runService, sendSigned } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitUntil } from '@countersign/testing/wait-until';
import { type Caller, managementScene, type ManagementScene, type Person } from '../management/scene.ts';

/* A suspended account on every thread and on every node. */

const body = { reason: 'Unpaid since September' };
const callsPerRound = 12;

interface Suspension {
  readonly scene: ManagementScene;
  readonly customer: Caller;
  readonly move: (operation: 'suspendAccount' | 'resumeAccount') => Promise<void>;
}

/** Starts a service with a customer, and an operator who can suspend it. */
async function open(
  t: TestContext,
  backend: Backend,
  settings: Readonly<Record<string, string>>,
): Promise<Suspension> {
  const scene = await managementScene(backend, { settings });
  t.after(() => scene.close());
  const { accountId: operatorAccountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
  const operator: Person = await scene.addPerson({ accountId: operatorAccountId, role: 'operator' });
  const customer = await scene.addAccount({ roles: ['api-user', 'payments-reader'] });
  const path = { accountId: customer.accountId };
  return {
    scene,
    customer,
    move: async (operation) => void (await scene.succeed(operator, operation, { path, body })),
  };
}

const codeOf = (answer: Answer): string =>
  answer.status === 200 ? 'accepted' : String(answer.json()['code']);

/** Calls several times at once, and returns what became of it, each once. */
async function outcomes(call: () => Promise<Answer>): Promise<readonly string[]> {
  const answers = await Promise.all(Array.from({ length: callsPerRound }, call));
  return [...new Set(answers.map(codeOf))];
}

test('every thread rejects the requests of a suspended account at once, and accepts them once it is resumed', async (t) => {
  let forwarded = 0;
  const upstream = createServer((_request, response) => {
    forwarded += 1;
    response.end('orders');
  });
  t.after(() => closeServer(upstream));
  const { scene, customer, move } = await open(t, sqlite, {
    COUNTERSIGN_THREADS: '3',
    COUNTERSIGN_UPSTREAM: await listenOn(upstream),
  });
  let count = 0;
  // Each call has a connection of its own, which the system gives to one of the threads.
  const call = (): Promise<Answer> => {
    const url = `${apiBaseUrl}/orders/${++count}`;
    const { headers } = customer.signer.sign({ method: 'GET', url });
    return scene.running.send({ method: 'GET', url, headers: { ...headers } });
  };
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(await outcomes(call), ['accepted']);
    await move('suspendAccount');
    const before = forwarded;
    assert.deepEqual(await outcomes(call), ['account_suspended']);
    assert.equal(forwarded, before);
    await move('resumeAccount');
  }
  assert.deepEqual(await outcomes(call), ['accepted']);
});

test(
  'every node rejects the requests of a suspended account, and accepts them once it is resumed',
  { skip: postgres.skip },
  async (t) => {
    const { scene, customer, move } = await open(t, postgres, { COUNTERSIGN_NODES: '2' });
    const databaseUrl = scene.running.service.configuration.databaseUrl!.reveal();
    const other = await runService({ COUNTERSIGN_DATABASE_URL: databaseUrl, COUNTERSIGN_NODES: '2' });
    t.after(() => other.close());
    let count = 0;
    const callOn = (node: typeof other) => async (): Promise<Answer> => {
      for (let tries = 1; ; tries += 1) {
        const url = `/v1/payments?limit=${(count++ % 100) + 1}`;
        const answer = await sendSigned(node, customer.signer, { method: 'GET', url });
        // A guard in a busy database says nothing about the account. Clients send such a request again.
        if (codeOf(answer) !== 'guard_unavailable' || tries === 5) return answer;
      }
    };
    const here = callOn(scene.running);
    const there = callOn(other);
    /** The other node hears of a change within a second. From then on it never goes back. */
    const settles = async (code: string): Promise<void> => {
      await waitUntil(async () => codeOf(await there()) === code, `${code} on the other node`);
      for (let round = 0; round < 3; round += 1) assert.deepEqual(await outcomes(there), [code]);
    };
    await settles('accepted');
    for (let round = 0; round < 2; round += 1) {
      await move('suspendAccount');
      assert.deepEqual(await outcomes(here), ['account_suspended']);
      await settles('account_suspended');
      await move('resumeAccount');
      assert.deepEqual(await outcomes(here), ['accepted']);
      await settles('accepted');
    }
  },
);
