import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { addParty, apiForAll, codeFor, signed } from '@countersign/testing/profiled-requests';

const { curl822, webBotAuth01 } = messageProfiles;
const scene = apiForAll([curl822, webBotAuth01]);

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
