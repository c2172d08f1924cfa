import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OperationId, ProblemCode } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import {
  type Answer,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import { lonePublicKey } from '@countersign/testing/test-keys';
import { updateAccount } from '../../src/registry/store/accounts.ts';
import { moveClient } from '../../src/registry/store/client-states.ts';
import { updateClient } from '../../src/registry/store/clients.ts';
import type { StoreContext } from '../../src/registry/store/context.ts';
import { addKey, revokeKey } from '../../src/registry/store/key-changes.ts';
import { setClientNetwork } from '../../src/registry/store/networks.ts';
import { updateRole } from '../../src/registry/store/role-changes.ts';
import type { Database } from '../../src/storage/transaction.ts';
import {
  anywhere,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementScene,
} from './scene.ts';

/* The outcome if another person was faster. */

type Change = (transaction: Database, caller: Caller & { accountId: string }) => Promise<unknown>;

const context = (): StoreContext => ({
  nowMs: Date.now(),
  keyPolicy: {},
  actor: { kind: 'operator-cli', id: 'tester' },
});

for (const backend of backends) {
  describe(`a change that waits for another one, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    /** The answer to a call that was let in, and whose change comes after another one. */
    const answerAfter = async (
      caller: Caller & { accountId: string },
      change: Change,
      id: OperationId,
      body: object,
    ): Promise<Answer> => {
      let answer: Promise<Answer> | undefined;
      await scene.whileLocked(async (transaction, changeWaits) => {
        answer = scene.call(caller, id, { body });
        await changeWaits(answer);
        await change(transaction, caller);
      });
      return answer!;
    };
    const client = { name: 'Left behind', networkWhitelist: anywhere };
    const administrator = (): Promise<Caller & { accountId: string }> => scene.addAccount();

    const cases: readonly (readonly [string, ProblemCode, Change])[] = [
      ['disabled', 'client_disabled', (on, { clientId }) => moveClient(on, clientId, 'disable', context())],
      ['revoked', 'signature_invalid', (on, { clientId }) => moveClient(on, clientId, 'revoke', context())],
      [
        'left without its network',
        'network_not_allowed',
        (on, { clientId }) => setClientNetwork(on, clientId, ['192.0.2.1'], context()),
      ],
      [
        'left without its role',
        'permission_denied',
        (on, { clientId }) => updateClient(on, clientId, { roles: [] }, context()),
      ],
      [
        'left without the key that signed',
        'signature_invalid',
        async (on, { clientId }) => {
          const { keys } = await addKey(on, clientId, { publicKey: lonePublicKey() }, context());
          await revokeKey(on, clientId, keys[0]!.keyId, { reason: 'compromised' }, context());
        },
      ],
    ];
    for (const [what, code, change] of cases) {
      test(`is refused when its caller is ${what} by the other: ${code}`, async () => {
        const caller = await administrator();
        const answer = await answerAfter(caller, change, 'addClient', client);
        assert.equal(answer.json()['code'], code, answer.text);
        const isToldWhy = answer.text.includes('while the request was waiting');
        assert.equal(isToldWhy, code !== 'signature_invalid', answer.text);
        const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
        const query = `accountId=${caller.accountId}`;
        const { data } = await scene.succeed<Data<Client>>(operator, 'listClients', { query });
        assert.equal(
          data.some(({ name }) => name === client.name),
          false,
        );
      });
    }

    test('the ceiling is what the caller holds then, and what others were given', async () => {
      const owner = await administrator();
      const permissions = ['clients:write', 'clients:read', 'payments:read', 'payments:write'] as const;
      const role = { name: 'adder', permissions };
      const { roleId } = await scene.succeed<{ roleId: string }>(owner, 'addRole', { body: role });
      const adder = { ...(await scene.addCaller(['adder'], { by: owner })), accountId: owner.accountId };
      const less: Change = (on) =>
        updateRole(on, roleId, { permissions: ['clients:write', 'payments:read'] }, context());
      const payer = { ...client, roles: ['payments-operator'] };
      const answer = await answerAfter(adder, less, 'addClient', payer);
      assert.equal(answer.json()['code'], 'permission_not_held', answer.text);
    });

    test("an account that is no longer the operator's acts in no other account", async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const demote: Change = (on) => updateAccount(on, operator.accountId, { isOperator: false }, context());
      for (const more of [{ accountId: scene.accountId }, { clientId: 'chosen' }]) {
        const answer = await answerAfter(operator, demote, 'addClient', { ...client, ...more });
        assert.equal(answer.json()['code'], 'permission_denied', answer.text);
        await scene.change((registry) => registry.updateAccount(operator.accountId, { isOperator: true }));
      }
    });
  });
}

for (const backend of backends.filter(({ name }) => name === 'PostgreSQL')) {
  describe('two nodes on PostgreSQL', { skip: backend.skip }, () => {
    let first: RunningService;
    let second: RunningService;
    let admin: Caller;
    const closers: (() => unknown)[] = [];
    before(async () => {
      const settings = await backend.settings({
        after: (close) => void closers.push(close as () => unknown),
      });
      first = await runService(settings);
      second = await runService(settings);
      admin = await first.addClient({ roles: ['administrator'] });
      await second.service.readRegistry();
    });
    after(async () => {
      await first.close();
      await second.close();
      for (const close of closers) await close();
    });

    /** Asks both nodes many times at once. */
    const both = (
      count: number,
      call: (index: number) => {
        method: string;
        url: string;
        body?: object;
        headers?: Record<string, string>;
      },
    ): Promise<Answer[]> =>
      Promise.all(
        Array.from({ length: count }, (_, index) => {
          const { body, ...rest } = call(index);
          const text = body && { body: JSON.stringify(body) };
          return sendSigned(index % 2 === 0 ? first : second, admin.signer, { ...rest, ...text });
        }),
      );
    const codesOf = (answers: readonly Answer[]): string[] =>
      [
        ...new Set(answers.filter(({ status }) => status >= 300).map((one) => String(one.json()['code']))),
      ].toSorted();
    const addClient = async (name: string): Promise<Answer> =>
      (
        await both(1, () => ({
          method: 'POST',
          url: '/v1/clients',
          body: { name, networkWhitelist: anywhere },
        }))
      )[0]!;

    test('of changes with one ETag, one is made', async () => {
      const added = await addClient('Shop');
      const url = `/v1/clients/${String(added.json()['clientId'])}`;
      const headers = { 'If-Match': String(added.headers['etag']) };
      const answers = await both(10, (index) => ({
        method: 'PATCH',
        url,
        headers,
        body: { name: `Shop ${index}` },
      }));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.deepEqual(codesOf(answers), ['precondition_failed']);
    });

    test('a key is registered once, and a role name given once', async () => {
      const publicKey = lonePublicKey();
      const clients = await both(6, (index) => ({
        method: 'POST',
        url: '/v1/clients',
        body: { name: `Key ${index}`, networkWhitelist: anywhere, publicKey },
      }));
      assert.equal(clients.filter(({ status }) => status === 201).length, 1);
      assert.deepEqual(codesOf(clients), ['key_registered']);
      const roles = await both(6, (index) => ({
        method: 'POST',
        url: '/v1/roles',
        body: { name: 'once', summary: `Role ${index}`, permissions: ['payments:read'] },
      }));
      assert.equal(roles.filter(({ status }) => status === 201).length, 1);
      assert.deepEqual(codesOf(roles), ['role_name_taken']);
    });

    test('one Idempotency-Key makes one client', async () => {
      const answers = await both(10, () => ({
        method: 'POST',
        url: '/v1/clients',
        headers: { 'Idempotency-Key': 'one' },
        body: { name: 'Once only', networkWhitelist: anywhere },
      }));
      const made = answers.filter(({ status }) => status === 201);
      assert.ok(made.length >= 1);
      assert.equal(new Set(made.map(({ text }) => text)).size, 1);
      assert.ok(
        codesOf(answers).every((code) => code === 'idempotency_key_in_use'),
        codesOf(answers).join(),
      );
      const [listed] = await both(1, () => ({ method: 'GET', url: '/v1/clients?search=once%20only' }));
      assert.equal((listed!.json()['data'] as unknown[]).length, 1);
    });

    test('of a client with two networks the last one stays', async () => {
      const added = await addClient('Two');
      const url = `/v1/clients/${String(added.json()['clientId'])}/network-whitelist`;
      await both(1, () => ({ method: 'POST', url, body: { entry: '10.0.0.1' } }));
      const entries = ['0.0.0.0', '10.0.0.1'];
      const answers = await both(2, (index) => ({ method: 'DELETE', url: `${url}/${entries[index]}` }));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.deepEqual(codesOf(answers), ['network_entry_last']);
    });
  });
}
