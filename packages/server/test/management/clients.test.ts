import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

const dayMs = 86_400_000;

for (const backend of backends) {
  describe(`clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    const add = (body: object = {}): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'addClient', {
        body: { name: 'Shop', networkWhitelist: anywhere, ...body },
      });
    const move = (
      clientId: string,
      transition: 'disable' | 'enable' | 'revoke' | 'restore',
    ): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, `${transition}Client`, { path: { clientId } });
    const refused = (clientId: string, transition: 'disable' | 'enable' | 'revoke' | 'restore') =>
      scene.refused(
        scene.administrator,
        `${transition}Client`,
        { path: { clientId } },
        'client_state_conflict',
      );

    test('adding one is refused with everything that is wrong with it, each by its pointer', async () => {
      const body = {
        name: ' Shop',
        networkWhitelist: [{ entry: '10.0.0.1' }, { entry: '10.0.0.1/8', label: 'a\nb' }, '10.0.0.2'],
        publicKey: 'no key',
        roles: ['Payments'],
        acceptWithoutDate: 'yes',
        profile: 'Not a name',
        colour: 'green',
      };
      const { errors } = await scene.refused(scene.administrator, 'addClient', { body }, 'body_invalid');
      assert.deepEqual(errors.map(({ pointer }) => pointer).toSorted(), [
        '/acceptWithoutDate',
        '/colour',
        '/name',
        '/networkWhitelist/1/entry',
        '/networkWhitelist/1/label',
        '/networkWhitelist/2',
        '/profile',
        '/publicKey',
        '/roles/0',
      ]);
      const unknown = {
        name: 'Shop',
        networkWhitelist: anywhere,
        roles: ['payments-reader', 'no-such-role'],
      };
      const later = await scene.refused(scene.administrator, 'addClient', { body: unknown }, 'body_invalid');
      assert.deepEqual(
        later.errors.map(({ pointer }) => pointer),
        ['/roles/1'],
      );
      assert.match(later.errors[0]?.detail ?? '', /administrator, api-reader.*auditor.*payments-reader/);
      assert.doesNotMatch(
        later.errors[0]?.detail ?? '',
        /(^|[ ,])operator,/,
        'a role that this account does not have',
      );
    });

    test('one that is added is shown in full, and can call at once', async () => {
      const { publicKey } = scene.freshKey();
      const answer = await scene.call(scene.administrator, 'addClient', {
        body: { name: 'Shop', networkWhitelist: anywhere, publicKey, roles: ['payments-reader'] },
      });
      const client = answer.json() as unknown as Client;
      assert.equal(answer.headers['location'], `/v1/clients/${client.clientId}`);
      assert.equal(client.accountId, scene.accountId);
      assert.deepEqual(
        [client.status, client.roles, client.acceptWithoutDate, client.keys.length, client.keys[0]?.status],
        ['active', ['payments-reader'], false, 1, 'pending'],
      );
      const shown = await scene.call(scene.administrator, 'getClient', {
        path: { clientId: client.clientId },
      });
      assert.deepEqual(shown.json(), answer.json());
      assert.equal(shown.headers['etag'], answer.headers['etag']);
      const caller = await scene.addCaller(['payments-reader']);
      await scene.succeed(caller, 'listPayments');
    });

    test('the key of a new one can expire, and then it calls no longer', async () => {
      const inMs = (milliseconds: number): string => new Date(scene.nowMs() + milliseconds).toISOString();
      const { publicKey } = scene.freshKey();
      for (const body of [
        { publicKey, keyEndsAt: inMs(-1000) },
        { publicKey, keyEndsAt: 'soon' },
        { keyEndsAt: inMs(dayMs) },
      ]) {
        const client = { name: 'Shop', networkWhitelist: anywhere, ...body };
        const refusal = await scene.refused(
          scene.administrator,
          'addClient',
          { body: client },
          'body_invalid',
        );
        assert.deepEqual(
          refusal.errors.map(({ pointer }) => pointer),
          ['/keyEndsAt'],
        );
      }
      const keyEndsAt = inMs(dayMs);
      const caller = await scene.addCaller([], { body: { keyEndsAt } });
      const path = { clientId: caller.clientId };
      const { keys, expiresAt } = await scene.succeed<Client>(scene.administrator, 'getClient', { path });
      assert.deepEqual([keys[0]?.endsAt, expiresAt], [keyEndsAt, undefined]);
      await scene.succeed(caller, 'testSignatureByPost');
      scene.clock.aheadMs += dayMs;
      await scene.refused(caller, 'testSignatureByPost', {}, 'signature_invalid');
      assert.deepEqual((await scene.succeed<Client>(scene.administrator, 'getClient', { path })).keys, []);
    });

    test('a clientId and an account are given by the operator only', async () => {
      const other = await scene.addAccount();
      for (const [member, value] of [
        ['clientId', 'mine'],
        ['accountId', other.accountId],
      ] as const) {
        const body = { name: 'Shop', networkWhitelist: anywhere, [member]: value };
        const { errors } = await scene.refused(
          scene.administrator,
          'addClient',
          { body },
          'permission_denied',
        );
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          [`/${member}`],
        );
      }
      await add({ accountId: scene.accountId });
    });

    test('every way between the states, and no other', async () => {
      const { clientId } = await add({ publicKey: scene.freshKey().publicKey });
      await refused(clientId, 'restore');
      assert.equal((await move(clientId, 'enable')).status, 'active');
      assert.equal((await move(clientId, 'disable')).status, 'disabled');
      assert.equal((await move(clientId, 'disable')).status, 'disabled');
      await refused(clientId, 'restore');
      assert.equal((await move(clientId, 'enable')).status, 'active');
      const revoked = await move(clientId, 'revoke');
      assert.deepEqual([revoked.status, revoked.keys], ['revoked', []]);
      assert.equal(
        Date.parse(revoked.restorableUntil ?? '') - Date.parse(revoked.revokedAt ?? ''),
        7 * dayMs,
      );
      assert.equal((await move(clientId, 'revoke')).revokedAt, revoked.revokedAt);
      await refused(clientId, 'enable');
      await refused(clientId, 'disable');
      const restored = await move(clientId, 'restore');
      assert.deepEqual([restored.status, restored.keys, restored.revokedAt], ['disabled', [], undefined]);
      assert.equal((await move(clientId, 'enable')).status, 'active');
    });

    test('a revoked one cannot be changed in any way', async () => {
      const { clientId, keys } = await add({ publicKey: scene.freshKey().publicKey });
      const revoked = await move(clientId, 'revoke');
      const keyId = keys[0]?.keyId ?? '';
      const headers = { 'If-Match': '*' };
      const endsAt = new Date(scene.nowMs() + dayMs).toISOString();
      const changes = [
        ['updateClient', { path: { clientId }, headers, body: { name: 'Other' } }],
        ['addNetworkEntry', { path: { clientId }, body: { entry: '10.0.0.1' } }],
        [
          'replaceNetworkWhitelist',
          { path: { clientId }, headers, body: { entries: [{ entry: '10.0.0.1' }] } },
        ],
        ['removeNetworkEntry', { path: { clientId, entry: '0.0.0.0' } }],
        ['addKey', { path: { clientId }, body: { publicKey: scene.freshKey().publicKey } }],
        ['retireKey', { path: { clientId, keyId } }],
        ['extendKey', { path: { clientId, keyId }, body: { endsAt } }],
        ['revokeKey', { path: { clientId, keyId }, body: { reason: 'compromised' } }],
      ] as const;
      for (const [id, options] of changes)
        await scene.refused(scene.administrator, id, options, 'client_state_conflict');
      assert.deepEqual(
        await scene.succeed(scene.administrator, 'getClient', { path: { clientId } }),
        revoked,
      );
    });

    test('after seven days a revoked one is gone, and its clientId stays taken', async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const { clientId } = await scene.succeed<Client>(operator, 'addClient', {
        body: { name: 'Shop', networkWhitelist: anywhere, clientId: 'moved-here/1' },
      });
      const path = { clientId };
      await scene.succeed(operator, 'revokeClient', { path });
      scene.clock.aheadMs += 7 * dayMs - 60_000;
      await scene.succeed(operator, 'restoreClient', { path });
      await scene.succeed(operator, 'revokeClient', { path });
      scene.clock.aheadMs += 7 * dayMs + 1000;
      await scene.refused(operator, 'getClient', { path }, 'not_found');
      await scene.refused(operator, 'restoreClient', { path }, 'not_found');
      const listed = await scene.succeed<Data<Client>>(operator, 'listClients');
      assert.equal(
        listed.data.some((client) => client.clientId === clientId),
        false,
      );
      const body = { name: 'Shop', networkWhitelist: anywhere, clientId };
      await scene.refused(operator, 'addClient', { body }, 'client_id_taken');
    });

    test('changing one needs its ETag, and a stale one is refused with the present one', async () => {
      const { clientId } = await add();
      const path = { clientId };
      const etag = await scene.etagOf(scene.administrator, clientId);
      const change = (name: string, headers: Record<string, string>) => ({ path, headers, body: { name } });
      await scene.refused(scene.administrator, 'updateClient', change('A', {}), 'precondition_required');
      for (const value of ['"0"', `W/${etag}`, etag.slice(1, -1), '', '"', `x${etag}`]) {
        const { answer } = await scene.refused(
          scene.administrator,
          'updateClient',
          change('A', { 'If-Match': value }),
          'precondition_failed',
        );
        assert.equal(answer.headers['etag'], etag);
      }
      const changed = await scene.call(
        scene.administrator,
        'updateClient',
        change('A', { 'If-Match': `"0", ${etag}` }),
      );
      assert.equal((changed.json() as unknown as Client).name, 'A');
      const next = String(changed.headers['etag']);
      assert.notEqual(next, etag);
      await scene.refused(
        scene.administrator,
        'updateClient',
        change('B', { 'If-Match': etag }),
        'precondition_failed',
      );
      await scene.refused(
        scene.administrator,
        'disableClient',
        { path, headers: { 'If-Match': etag } },
        'precondition_failed',
      );
      await scene.succeed(scene.administrator, 'disableClient', { path, headers: { 'If-Match': next } });
    });

    test('of many changes with one ETag at once, one is made', async () => {
      const { clientId } = await add();
      const etag = await scene.etagOf(scene.administrator, clientId);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          scene.call(scene.administrator, 'updateClient', {
            path: { clientId },
            headers: { 'If-Match': etag },
            body: { name: `Name ${index}` },
          }),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((one, other) => one - other),
        [200, ...Array<number>(9).fill(412)],
      );
    });

    test('a profile and its earlier name that contradict each other are refused, and nothing is changed', async () => {
      const { clientId } = await add({ profile: 'countersign-without-date' });
      for (const [profile, acceptWithoutDate] of [
        ['countersign', true],
        ['countersign-without-date', false],
      ] as const) {
        const body = { profile, acceptWithoutDate };
        const path = { clientId };
        const headers = { 'If-Match': '*' };
        const changed = await scene.refused(
          scene.administrator,
          'updateClient',
          { path, headers, body: { name: 'Books', ...body } },
          'body_invalid',
        );
        const whole = { name: 'Shop', networkWhitelist: anywhere, ...body };
        const added = await scene.refused(scene.administrator, 'addClient', { body: whole }, 'body_invalid');
        for (const { errors } of [changed, added]) {
          assert.deepEqual(
            errors.map(({ pointer }) => pointer),
            ['/acceptWithoutDate'],
          );
          assert.match(errors[0]!.detail, /contradict each other/);
        }
      }
      const shown = await scene.succeed<Client>(scene.administrator, 'getClient', { path: { clientId } });
      assert.deepEqual([shown.name, shown.profile], ['Shop', 'countersign-without-date']);
    });

    test('a profile has an earlier name, and both are shown', async () => {
      const shownAs = ({ profile, acceptWithoutDate }: Client): unknown => [profile, acceptWithoutDate];
      const usual = ['countersign', false];
      const older = ['countersign-without-date', true];
      assert.deepEqual(shownAs(await add({})), usual);
      assert.deepEqual(shownAs(await add({ acceptWithoutDate: true })), older);
      const client = await add({ profile: 'countersign-without-date', acceptWithoutDate: true });
      assert.deepEqual(shownAs(client), older);
      const change = (body: unknown): Promise<Client> =>
        scene.succeed<Client>(scene.administrator, 'updateClient', {
          path: { clientId: client.clientId },
          headers: { 'If-Match': '*' },
          body,
        });
      assert.deepEqual(shownAs(await change({ name: 'Books' })), older);
      assert.deepEqual(shownAs(await change({ profile: 'countersign' })), usual);
      assert.deepEqual(shownAs(await change({ acceptWithoutDate: true })), older);
      assert.deepEqual(shownAs(await change({ acceptWithoutDate: false })), usual);
    });

    test('a change merges: what is left out stays, and null is no value', async () => {
      const { clientId } = await add({
        roles: ['payments-reader'],
        acceptWithoutDate: true,
        allowExplanations: true,
      });
      const change = (body: unknown, headers = {}): Promise<Client> =>
        scene.succeed<Client>(scene.administrator, 'updateClient', {
          path: { clientId },
          headers: { 'If-Match': '*', ...headers },
          body,
        });
      const renamed = await change({ name: 'Books' }, { 'Content-Type': 'application/merge-patch+json' });
      assert.deepEqual(
        [renamed.name, renamed.roles, renamed.acceptWithoutDate, renamed.allowExplanations],
        ['Books', ['payments-reader'], true, true],
      );
      const given = await change({
        roles: ['payments-operator', 'auditor', 'auditor'],
        acceptWithoutDate: false,
        allowExplanations: false,
      });
      assert.deepEqual(
        [given.name, given.roles, given.acceptWithoutDate, given.allowExplanations],
        ['Books', ['auditor', 'payments-operator'], false, false],
      );
      const same = await scene.etagOf(scene.administrator, clientId);
      await change({ name: 'Books', roles: ['payments-operator', 'auditor'] });
      assert.equal(await scene.etagOf(scene.administrator, clientId), same, 'nothing was changed');
      for (const body of [{ name: null }, { roles: null }, { status: 'disabled' }, { clientId: 'x' }, []]) {
        const options = { path: { clientId }, headers: { 'If-Match': '*' }, body };
        await scene.refused(scene.administrator, 'updateClient', options, 'body_invalid');
      }
      const text = {
        path: { clientId },
        headers: { 'If-Match': '*', 'Content-Type': 'text/plain' },
        body: {},
      };
      await scene.refused(scene.administrator, 'updateClient', text, 'content_type_unsupported');
    });

    test('a disabled one is refused by the next request, and so is one that lost its role', async () => {
      const caller = await scene.addCaller(['payments-reader']);
      const path = { clientId: caller.clientId };
      await scene.succeed(caller, 'listPayments');
      await scene.succeed(scene.administrator, 'disableClient', { path });
      await scene.refused(caller, 'listPayments', {}, 'client_disabled');
      await scene.succeed(scene.administrator, 'enableClient', { path });
      await scene.succeed(caller, 'listPayments', { query: 'limit=1' });
      const change = { path, headers: { 'If-Match': '*' }, body: { roles: [] } };
      await scene.succeed(scene.administrator, 'updateClient', change);
      await scene.refused(caller, 'listPayments', { query: 'limit=2' }, 'permission_denied');
      await scene.succeed(scene.administrator, 'revokeClient', { path });
      await scene.refused(caller, 'listPayments', { query: 'limit=3' }, 'signature_invalid');
    });

    test('a repetition with the same Idempotency-Key makes no second client', async () => {
      const headers = { 'Idempotency-Key': 'one-client' };
      const body = { name: 'Once', networkWhitelist: anywhere };
      const first = await scene.call(scene.administrator, 'addClient', { headers, body });
      const again = await scene.call(scene.administrator, 'addClient', { headers, body });
      assert.deepEqual(
        [again.status, again.text, again.headers['idempotency-replayed']],
        [201, first.text, 'true'],
      );
      assert.equal(again.headers['etag'], first.headers['etag']);
      const other = { headers, body: { ...body, name: 'Twice' } };
      await scene.refused(scene.administrator, 'addClient', other, 'idempotency_key_reused');
      const found = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', {
        query: 'search=once',
      });
      assert.equal(found.data.length, 1);
    });
  });

  describe(`the list of clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const names = ['Straße 100%', 'ÄRGER_eins', 'ärger_zwei', 'plain', 'back\\slash'];
      for (const [index, name] of names.entries()) {
        await scene.succeed(operator, 'addClient', {
          body: {
            name,
            networkWhitelist: anywhere,
            accountId: scene.accountId,
            clientId: `c%${index}`,
            roles: index < 2 ? ['auditor'] : [],
          },
        });
      }
      await scene.succeed(scene.administrator, 'disableClient', { path: { clientId: 'c%3' } });
      await scene.succeed(scene.administrator, 'revokeClient', { path: { clientId: 'c%4' } });
    });
    after(() => scene.close());

    const find = async (query: string): Promise<string[]> => {
      const { data } = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', { query });
      return data.map(({ clientId }) => clientId).filter((clientId) => clientId.startsWith('c%'));
    };

    test('is filtered by state, role and text, in any case and with nothing special about any character', async () => {
      const cases: [string, string[]][] = [
        ['status=disabled', ['c%3']],
        ['status=revoked', ['c%4']],
        ['status=active', ['c%0', 'c%1', 'c%2']],
        ['role=auditor', ['c%0', 'c%1']],
        ['role=auditor&status=disabled', []],
        ['search=%C3%A4rger', ['c%1', 'c%2']],
        ['search=%C3%84RGER_E', ['c%1']],
        ['search=_', ['c%1', 'c%2']],
        ['search=%25', ['c%0']],
        ['search=%5C', ['c%4']],
        ['search=PLAIN', ['c%3']],
        ['search=c%25', ['c%0', 'c%1', 'c%2', 'c%3', 'c%4']],
        ['search=C%25', []],
        ['search=%252', []],
        ["search='%20or%201=1", []],
      ];
      for (const [query, expected] of cases) assert.deepEqual(await find(query), expected, query);
    });

    test('comes in pages that together are everything, once', async () => {
      const all = await scene.succeed<Data<Client>>(scene.administrator, 'listClients');
      const seen: string[] = [];
      let cursor = '';
      do {
        const query = `limit=2${cursor && `&cursor=${cursor}`}`;
        const page = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', { query });
        assert.ok(page.data.length <= 2);
        seen.push(...page.data.map(({ clientId }) => clientId));
        cursor = page.nextCursor ?? '';
      } while (cursor !== '');
      assert.deepEqual(
        seen,
        all.data.map(({ clientId }) => clientId),
      );
    });

    test('refuses a query that it does not understand', async () => {
      const cases: [string, 'query_invalid' | 'cursor_invalid'][] = [
        ['status=archived', 'query_invalid'],
        ['status=active&status=active', 'query_invalid'],
        ['limit=101', 'query_invalid'],
        ['search=', 'query_invalid'],
        ['search=%00', 'query_invalid'],
        ['role=%C0%80', 'query_invalid'],
        ['colour=green', 'query_invalid'],
        ['cursor=x', 'cursor_invalid'],
        ['cursor=MTphIGI', 'cursor_invalid'],
      ];
      for (const [query, code] of cases)
        await scene.refused(scene.administrator, 'listClients', { query }, code);
    });
  });
}
