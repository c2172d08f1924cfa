import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { addParty, alsoSigned, apiForAll, codeFor, signed } from '@countersign/testing/profiled-requests';
import { apiBaseUrl } from '@countersign/testing/running-service';

const { curl822, gnap, webBotAuth01 } = messageProfiles;
const routes = [
  { path: '/watched/**', permission: 'shop', mode: 'observe' },
  { path: '/**', permission: 'shop' },
];
const scene = apiForAll([curl822, gnap, webBotAuth01], {
  environment: { COUNTERSIGN_ROUTES: JSON.stringify(routes) },
});

test('on a route that only observes, what proves nothing names nobody, and carries no signature like ours', async () => {
  const party = await addParty(scene.api, gnap);
  const url = `${apiBaseUrl}/watched/1`;
  const sent = await signed(party, { method: 'POST', url, body: 'a' });
  const forged = await alsoSigned({ ...sent, body: 'b' }, party, {
    label: 'countersign',
    components: ['"@method"'],
    parameters: { tag: 'countersign-forwarded' },
  });
  assert.equal(await codeFor(scene.api, forged), 'accepted');
  const names = ['client-id', 'account', 'roles', 'key', 'profile', 'covered'];
  const told = (): readonly string[] =>
    names.filter((name) => scene.api.received.at(-1)!.values(`countersign-${name}`).length > 0);
  assert.deepEqual(told(), []);
  assert.doesNotMatch(scene.api.received.at(-1)!.values('signature-input').join(), /countersign/);
  assert.equal(await codeFor(scene.api, sent), 'accepted');
  assert.deepEqual(told(), names);
});

test('a request that curl signs by itself names its client, its profile and what it covers', async () => {
  const party = await addParty(scene.api, curl822);
  assert.equal(await codeFor(scene.api, await signed(party)), 'accepted');
  const received = scene.api.received.at(-1)!;
  assert.deepEqual(received.values('countersign-client-id'), [party.clientId]);
  assert.deepEqual(received.values('countersign-profile'), ['curl-8.22']);
  assert.deepEqual(received.values('countersign-covered'), ['"@method" "@authority" "@path" "@query"']);
});

test('a web bot covers little, or more: the API learns which', async () => {
  const party = await addParty(scene.api, webBotAuth01);
  await codeFor(scene.api, await signed(party));
  await codeFor(scene.api, await signed(party, { signature: { others: ['@method', '@target-uri'] } }));
  assert.deepEqual(
    scene.api.received.slice(-2).map((received) => received.values('countersign-covered')),
    [['"@authority" "signature-agent";key="sig1"'], ['"signature-agent";key="sig1" "@method" "@target-uri"']],
  );
});

test('a request by the closed profile has no such headers, whatever its client sends', async () => {
  const headers = { 'Countersign-Profile': 'curl-8.22', 'Countersign-Covered': '"@method"' };
  assert.equal((await scene.api.call('GET', '/orders', { headers })).status, 200);
  const received = scene.api.received.at(-1)!;
  assert.deepEqual(received.values('countersign-profile'), []);
  assert.deepEqual(received.values('countersign-covered'), []);
});
