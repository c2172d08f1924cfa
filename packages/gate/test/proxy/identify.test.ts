import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  defineProfile,
  keyThumbprint,
  messageProfiles,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { type Answer, apiBaseUrl } from '@countersign/testing/running-service';

const { webBotAuth01, curl822 } = messageProfiles;
const agents = { path: '/pages/**', permission: 'none', mode: 'identify', profiles: [webBotAuth01.id] };
const payments = { path: '/payments/**', permission: 'none', profiles: ['countersign', curl822.id] };
const both = { path: '/both/**', permission: 'orders:write', mode: 'identify' };

interface Agent {
  readonly clientId: string;
  readonly keys: KeyPair;
}

async function open(t: TestContext): Promise<ProtectedApi & { readonly agent: Agent }> {
  const environment = {
    COUNTERSIGN_PROFILES: `${webBotAuth01.id},${curl822.id}`,
    COUNTERSIGN_ROUTES: JSON.stringify([agents, payments, both]),
  };
  const api = await openProtectedApi(t, { environment, client: { roles: ['payments-reader'] } });
  const keys = makeKeyPairFor('ed25519');
  const { clientId } = await api.running.addClient({
    profile: webBotAuth01.id,
    roles: ['api-user'],
    keyPair: keys,
    signer: { privateKey: makeKeyPairFor('ed25519').privateKey },
  });
  return { ...api, agent: { clientId, keys } };
}

/** Signs as an agent of the web does. */
async function agentHeaders(
  { clientId, keys }: Agent,
  path: string,
  changed: { readonly keyid?: string; readonly created?: number } = {},
): Promise<Record<string, string>> {
  const field = ['Signature-Agent', 'sig="https://agent.example/jwks.json"'] as const;
  const { headers } = await signMessage(
    { method: 'GET', targetUri: apiBaseUrl + path, headers: [field] },
    {
      profile: defineProfile(webBotAuth01),
      key: signingKey(keys.privateKey),
      keyid: clientId,
      label: 'sig',
      ...changed,
    },
  );
  return { ...Object.fromEntries([field]), ...headers };
}

function seenBy({ received }: ProtectedApi): Record<string, readonly string[]> {
  const last = received.at(-1)!;
  const names = [
    'countersign-client-id',
    'countersign-profile',
    'countersign-unproved',
    'countersign-claimed',
  ];
  return Object.fromEntries(names.map((name) => [name.slice(12), last.values(name)]));
}

const nobody = { 'client-id': [], profile: [], claimed: [] };

test('a route that identifies forwards a request without a signature, and says so', async (t) => {
  const api = await open(t);
  const { status } = await api.running.send({ method: 'GET', url: `${apiBaseUrl}/pages/1` });
  assert.equal(status, 200);
  assert.deepEqual(seenBy(api), { ...nobody, unproved: ['signature_missing'] });
});

test('a caller cannot write what a route that identifies says', async (t) => {
  const api = await open(t);
  const headers = {
    'Countersign-Client-Id': 'client_x',
    Countersign_Profile: 'web-bot-auth-01',
    'countersign-unproved': '',
    'Countersign-Claimed': 'x',
  };
  await api.running.send({ method: 'GET', url: `${apiBaseUrl}/pages/1`, headers });
  assert.deepEqual(seenBy(api), { ...nobody, unproved: ['signature_missing'] });
  assert.doesNotMatch(api.received[0]!.rawHeaders.join('\n'), /client_x|web-bot-auth/);
});

test('an agent that proves its key is named, by its client ID and by the thumbprint of its key', async (t) => {
  const api = await open(t);
  const headers = await agentHeaders(api.agent, '/pages/1');
  assert.equal(
    (await api.running.send({ method: 'GET', url: `${apiBaseUrl}/pages/1`, headers })).status,
    200,
  );
  const named = { 'client-id': [api.agent.clientId], profile: [webBotAuth01.id], unproved: [], claimed: [] };
  assert.deepEqual(seenBy(api), named);
  const keyid = await keyThumbprint(api.agent.keys.publicKey);
  const byKey = await agentHeaders(api.agent, '/pages/1', { keyid });
  await api.running.send({ method: 'GET', url: `${apiBaseUrl}/pages/1`, headers: byKey });
  assert.deepEqual(seenBy(api), named);
});

test('a forged, an old, a replayed and a moved request pass on such a route with what was claimed and why it was not proved', async (t) => {
  const api = await open(t);
  const { agent, running } = api;
  const other = { ...agent, keys: makeKeyPairFor('ed25519') };
  const get = (path: string, headers: Record<string, string>): Promise<Answer> =>
    running.send({ method: 'GET', url: apiBaseUrl + path, headers });
  const unproved = (code: string): unknown => ({
    ...nobody,
    unproved: [code],
    claimed: [agent.clientId],
  });
  await get('/pages/1', await agentHeaders(other, '/pages/1'));
  assert.deepEqual(seenBy(api), unproved('signature_invalid'));
  const created = Math.floor(Date.now() / 1000) - 400;
  await get('/pages/1', await agentHeaders(agent, '/pages/1', { created }));
  assert.deepEqual(seenBy(api), unproved('created_expired'));
  const signed = await agentHeaders(agent, '/pages/1');
  await get('/pages/1', signed);
  assert.deepEqual(seenBy(api)['unproved'], []);
  // The path is not covered, so only the replay guard can tell.
  await get('/pages/2', signed);
  assert.deepEqual(seenBy(api), unproved('signature_replayed'));
});

test('a client of another profile than those of the route is not identified by it', async (t) => {
  const api = await open(t);
  await api.call('GET', '/pages/1');
  assert.deepEqual(seenBy(api), { ...nobody, unproved: ['profile_not_accepted'], claimed: [api.clientId] });
});

test('a client without the permission of the route is not identified by it', async (t) => {
  const api = await open(t);
  await api.call('GET', '/both/1');
  assert.deepEqual(seenBy(api), { ...nobody, unproved: ['permission_denied'], claimed: [api.clientId] });
});

test('a route that requires lets in only clients of its profiles, each with its own', async (t) => {
  const api = await open(t);
  assert.equal((await api.call('GET', '/payments/1')).status, 200);
  const headers = await agentHeaders(api.agent, '/payments/1');
  const answer = await api.running.send({ method: 'GET', url: `${apiBaseUrl}/payments/1`, headers });
  assert.equal(answer.status, 403);
  assert.equal(answer.json()['code'], 'profile_not_accepted');
  assert.match(String(answer.json()['reason']), /only countersign or curl-8\.22 is accepted/);
});

test('an ambiguous path and an upgrade are rejected on a route that identifies, too', async (t) => {
  const api = await open(t);
  const answer = await api.running.send({ method: 'GET', url: `${apiBaseUrl}/pages/%2e%2e/payments/1` });
  assert.ok(answer.status >= 400, answer.text);
  assert.deepEqual(api.received, []);
});
