import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuditEvent, DemoData, RequestEntry, RequestStatistics } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitUntil } from '@countersign/testing/wait-until';
import { planTraffic } from '../../src/demonstration/demo-traffic.ts';
import { seededRandom } from '../../src/demonstration/seeded-random.ts';
import {
  type Caller,
  type Client,
  type Data,
  type Key,
  managementScene,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';

/* The data that a first start of the demonstration generates, and its removal. */

const nothing: DemoData = { clients: 0, members: 0, requests: 0, auditEvents: 0 };
const settings = { COUNTERSIGN_DEMONSTRATION: 'yes' };

async function all<Element>(
  scene: ManagementScene,
  owner: Person,
  operation: 'listClients' | 'listAuditEvents' | 'listRequests',
  query = '',
): Promise<Element[]> {
  const found: Element[] = [];
  for (let cursor = ''; ;) {
    const page: Data<Element> = await scene.succeed(owner, operation, {
      query: `limit=100${query}${cursor}`,
    });
    found.push(...page.data);
    if (page.nextCursor === null) return found;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

async function daily(scene: ManagementScene, owner: Person): Promise<{ accepted: number; refused: number }> {
  const { series } = await scene.succeed<RequestStatistics>(owner, 'getRequestStatistics', {
    query: `interval=day&from=${dayBefore(scene, 31)}`,
  });
  const points = series.flatMap((one) => one.points);
  const sum = (name: 'accepted' | 'refused'): number => points.reduce((total, one) => total + one[name], 0);
  return { accepted: sum('accepted'), refused: sum('refused') };
}

function dayBefore(scene: ManagementScene, days: number): string {
  return new Date(scene.nowMs() - days * 86_400_000).toISOString();
}

test('the same seed plans the same requests, another seed others', () => {
  const endMs = Date.UTC(2026, 10, 20, 12);
  const planned = (seed: number): unknown =>
    planTraffic(seededRandom(seed), endMs).map(({ client, ...request }) => ({
      ...request,
      name: client.name,
    }));
  assert.deepEqual(planned(7), planned(7));
  assert.notDeepEqual(planned(7), planned(8));
});

test('without the demonstration nothing can be made up', async (t) => {
  const scene = await managementScene(sqlite);
  t.after(() => scene.close());
  assert.equal(scene.running.service.seedDemoData, undefined);
});

for (const backend of backends) {
  describe(`demo data on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let owner: Person;
    let real: Caller;
    let realEvents: AuditEvent[];
    /** Without the first uses of real keys, which are noted some time after the request. */
    const auditEvents = async (): Promise<AuditEvent[]> =>
      (await all<AuditEvent>(scene, owner, 'listAuditEvents')).filter(
        ({ action, actor }) =>
          action !== 'key.activated' || ![real.clientId, scene.administrator.clientId].includes(actor.id),
      );
    before(async () => {
      scene = await managementScene(backend, { settings });
      owner = await scene.addPerson({ role: 'owner' });
      real = await scene.addCaller(['payments-operator']);
      realEvents = await auditEvents();
    });
    after(() => scene.close());

    test('is nothing before it is made up, and then nothing is removed or audited', async () => {
      assert.deepEqual(await scene.succeed(owner, 'getDemoData'), nothing);
      assert.deepEqual(await scene.succeed(owner, 'removeDemoData'), nothing);
      assert.deepEqual(await auditEvents(), realEvents);
    });

    test('stops and leaves nothing when it is removed while it is written', async () => {
      const seeding = scene.running.service.seedDemoData!(scene.accountId, 1);
      await waitUntil(
        async () => (await scene.succeed<DemoData>(owner, 'getDemoData')).requests > 0,
        'the first requests',
      );
      await scene.succeed(owner, 'removeDemoData');
      await seeding;
      assert.deepEqual(await scene.succeed(owner, 'getDemoData'), nothing);
      const clientIds = new Set((await all<Client>(scene, owner, 'listClients')).map((one) => one.clientId));
      const requests = await all<RequestEntry>(scene, owner, 'listRequests');
      assert.deepEqual(
        requests.filter(({ clientId }) => !clientIds.has(clientId)),
        [],
      );
      const accepted = requests.filter(({ outcome }) => outcome === 'accepted').length;
      assert.deepEqual(await daily(scene, owner), { accepted, refused: requests.length - accepted });
    });

    test('has eight clients with requests of 30 days, refusals that are explained, rotations and a team', async () => {
      await scene.running.service.seedDemoData!(scene.accountId, 2);
      const found = await scene.succeed<DemoData>(owner, 'getDemoData');
      assert.equal(found.clients, 8);
      assert.equal(found.members, 4);
      const clients = (await all<Client>(scene, owner, 'listClients')).filter(
        ({ clientId, name }) => clientId !== real.clientId && name !== 'Administrator',
      );
      assert.deepEqual(clients.map(({ status }) => status).toSorted(), [
        ...Array.from({ length: 7 }, () => 'active'),
        'disabled',
      ]);
      const requests = await all<RequestEntry>(scene, owner, 'listRequests');
      const made = requests.filter(({ clientId }) => clients.some((one) => one.clientId === clientId));
      assert.equal(made.length, found.requests);
      const days = new Set(made.map(({ receivedAt }) => receivedAt.slice(0, 10)));
      assert.ok(days.size >= 30, `${days.size} days`);
      for (const { clientId, name } of clients) {
        const own = made.filter((one) => one.clientId === clientId);
        assert.ok(own.length > 200, `${name}: ${own.length}`);
      }
      const outcomes = new Set(made.map(({ outcome }) => outcome));
      for (const code of [
        'accepted',
        'digest_mismatch',
        'signature_invalid',
        'signature_replayed',
        'created_expired',
        'created_in_future',
        'date_mismatch',
        'components_invalid',
        'algorithm_not_allowed',
        'network_not_allowed',
        'permission_denied',
        'client_disabled',
        'rate_limited',
      ])
        assert.ok(outcomes.has(code), code);
      for (const [code, finding] of [
        ['digest_mismatch', /json|body/i],
        ['signature_invalid', /./],
        ['created_expired', /./],
      ] as const) {
        const { requestId } = made.find(({ outcome }) => outcome === code)!;
        const explanation = await scene.succeed<{ findings: { what: string }[] }>(
          owner,
          'getRequestExplanation',
          { path: { requestId } },
        );
        assert.match(explanation.findings[0]?.what ?? '', finding, code);
      }
      const checkout = clients.find(({ name }) => name === 'Web checkout')!;
      const { data: keys } = await scene.succeed<Data<Key>>(owner, 'listKeys', {
        path: { clientId: checkout.clientId },
      });
      assert.deepEqual(keys.map(({ status }) => status).toSorted(), ['active', 'expired']);
      const events = await auditEvents();
      // One of the others is the earlier removal.
      assert.equal(found.auditEvents, events.length - realEvents.length - 1);
      const people = new Set(
        events.flatMap(({ actor }) =>
          actor.kind === 'person' && actor.id !== owner.userId ? [actor.name] : [],
        ),
      );
      assert.ok(people.size >= 3, [...people].join());
    });

    test('is counted like real requests', async () => {
      const requests = await all<RequestEntry>(scene, owner, 'listRequests');
      const accepted = requests.filter(({ outcome }) => outcome === 'accepted').length;
      assert.deepEqual(await daily(scene, owner), { accepted, refused: requests.length - accepted });
    });

    test('is removed by a developer, and nothing else is; a viewer may not', async () => {
      const path = { clientId: real.clientId };
      await scene.succeed(real, 'getWhoami');
      const [demo] = await all<Client>(scene, owner, 'listClients', '&search=fjord');
      await scene.succeed(owner, 'disableClient', { path: { clientId: demo!.clientId } });
      const kept = (await all<Client>(scene, owner, 'listClients')).filter(
        ({ clientId, name }) => clientId === real.clientId || name === 'Administrator',
      );
      const viewer = await scene.addPerson({ role: 'viewer' });
      await scene.refused(viewer, 'removeDemoData', {}, 'permission_denied');
      const developer = await scene.addPerson({ role: 'developer' });
      const removed = await scene.succeed<DemoData>(developer, 'removeDemoData');
      assert.equal(removed.clients, 8);
      assert.deepEqual(await scene.succeed(owner, 'getDemoData'), nothing);
      const left = await all<Client>(scene, owner, 'listClients');
      assert.deepEqual(
        left.map(({ clientId }) => clientId),
        kept.map(({ clientId }) => clientId),
      );
      await scene.refused(owner, 'getClient', { path: { clientId: demo!.clientId } }, 'not_found');
      await scene.succeed(owner, 'getClient', { path });
      const [last, disabled, ...earlier] = await auditEvents();
      assert.deepEqual([last?.action, last?.actor.id], ['demo_data.removed', developer.userId]);
      assert.deepEqual([disabled?.action, disabled?.actor.id], ['client.disabled', owner.userId]);
      // The first of them is the earlier removal.
      assert.deepEqual(earlier.slice(1), realEvents);
      const requests = await all<RequestEntry>(scene, owner, 'listRequests');
      assert.ok(requests.some(({ clientId }) => clientId === real.clientId));
      assert.ok(requests.every(({ clientId }) => left.some((one) => one.clientId === clientId)));
      const accepted = requests.filter(({ outcome }) => outcome === 'accepted').length;
      assert.deepEqual(await daily(scene, owner), { accepted, refused: requests.length - accepted });
      const members = await scene.succeed<Data<{ email: string }>>(owner, 'listMembers');
      assert.ok(members.data.every(({ email }) => !email.endsWith('@demo.example')));
      await scene.succeed(real, 'getWhoami');
    });
  });
}
