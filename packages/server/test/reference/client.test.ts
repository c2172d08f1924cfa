import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type ApiAnswer,
  type ApiClient,
  ApiError,
  createClient,
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiResponse,
  type OperationId,
  operations,
  type ProblemCode,
  type Reference,
} from '@countersign/contract';
import { otherKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { testKey } from '@countersign/testing/test-keys';
import { violations } from './violations.ts';

let running: RunningService;
let api: ApiClient;
let stranger: ApiClient;
let document: OpenApiDocument;
before(async () => {
  running = await runService({ COUNTERSIGN_PUBLIC_BASE_URLS: undefined });
  const baseUrl = running.service.address;
  const administrator = await running.addClient({ roles: ['administrator'] });
  const reader = await running.addClient({ roles: ['payments-reader'], keyPair: otherKeyPair });
  api = createClient({ baseUrl, signer: administrator.signer });
  stranger = createClient({ baseUrl, signer: reader.signer });
  document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenApiDocument;
});
after(() => running.close());

/** Whether the document allows this answer to that operation: status, fields and body. */
function assertDescribed(id: OperationId, status: number, headers: Headers, body: unknown): void {
  const { path, method } = operations[id];
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  assert.ok(described, `${id} is not described to answer ${status}`);
  const response = resolve<OpenApiResponse>(described);
  const type = headers.get('Content-Type') ?? '';
  const content = response.content[type];
  assert.ok(content, `${id} is not described to answer with ${type}`);
  assert.deepEqual(violations(content.schema, body, document.components.schemas), [], id);
  for (const name of ['ETag', 'Location', 'Retry-After', 'RateLimit', 'WWW-Authenticate', 'Request-Id'])
    if (headers.has(name)) assert.ok(response.headers?.[name], `${id} ${status}: ${name}`);
  if (status < 300)
    for (const name of ['ETag', 'Location'])
      assert.equal(headers.has(name), response.headers?.[name] !== undefined, `${id} ${status}: ${name}`);
}

function resolve<Part extends object>(part: Part | Reference): Part {
  if (!('$ref' in part)) return part;
  const [, , kind, name] = part.$ref.split('/');
  return (document.components as unknown as Record<string, Record<string, Part>>)[kind!]![name!]!;
}

async function refused(id: OperationId, call: Promise<ApiAnswer>, code: ProblemCode): Promise<ApiError> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  assert.ok(error instanceof ApiError, id);
  assert.equal(error.code, code);
  assertDescribed(id, error.status, error.headers, error.problem);
  return error;
}

async function answered<Body>(id: OperationId, call: Promise<ApiAnswer<Body>>): Promise<ApiAnswer<Body>> {
  const answer = await call;
  assertDescribed(id, answer.status, answer.headers, answer.body);
  return answer;
}

describe('the typed client and the running service: refusals, as the document describes them', () => {
  test('what the caller may not do, and what is not there', async () => {
    await refused('listClients', stranger.listClients(), 'permission_denied');
    const path = { paymentId: 'payment_none' };
    const error = await refused('getPayment', stranger.getPayment({ path }), 'not_found');
    assert.match(error.requestId ?? '', /^request_/);
  });

  test('wrong members by their pointers, a wrong query, a changed state, a key that is taken', async () => {
    const error = await refused(
      'addRole',
      api.addRole({ body: { name: 'Not A Name', permissions: [] } }),
      'body_invalid',
    );
    assert.deepEqual(
      error.problem?.errors?.map(({ pointer }) => pointer),
      ['/name', '/permissions'],
    );
    await refused('listClients', api.listClients({ query: { limit: 1000 } }), 'query_invalid');
    const { body: role } = await api.addRole({ body: { name: 'old', permissions: ['payments:read'] } });
    const stale = { path: { roleId: role.roleId }, body: { name: 'new' }, ifMatch: '"0"' };
    await refused('updateRole', api.updateRole(stale), 'precondition_failed');
    const body = {
      name: 'Second',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey: otherKeyPair.publicKey,
    };
    await refused('addClient', api.addClient({ body }), 'key_registered');
    await refused('addClient', api.addClient({ body, idempotencyKey: ' ' }), 'idempotency_key_malformed');
  });

  test('a signature that does not verify', async () => {
    const signer = {
      sign: ({ url }: { url: string }) => ({ url, body: undefined, headers: { Signature: 'x' } }),
    };
    const unsigned = createClient({ baseUrl: running.service.address, signer });
    await refused('getWhoami', unsigned.getWhoami(), 'signature_missing');
  });
});

describe('the typed client and the running service: answers, as the document describes them', () => {
  test('the caller, payments, and a repetition', async () => {
    const whoami = await answered('getWhoami', api.getWhoami());
    assert.ok(whoami.body.permissions.includes('clients:write'));
    const body = { amount: 1250, currency: 'EUR', reference: 'Invoice 7' };
    const first = await answered('createPayment', api.createPayment({ body, idempotencyKey: 'a-1' }));
    assert.equal(first.status, 201);
    const again = await answered('createPayment', api.createPayment({ body, idempotencyKey: 'a-1' }));
    assert.equal(again.body.paymentId, first.body.paymentId);
    const path = { paymentId: first.body.paymentId };
    assert.equal((await answered('cancelPayment', api.cancelPayment({ path }))).body.status, 'cancelled');
    const { body: page } = await answered('listPayments', api.listPayments({ query: { limit: 1 } }));
    assert.equal(page.data.length, 1);
  });

  test('a client with its whitelist and its keys', async () => {
    const added = await answered(
      'addClient',
      api.addClient({
        body: {
          name: 'Billing',
          networkWhitelist: [{ entry: '203.0.113.0/24', label: 'Office' }],
          publicKey: testKey(3).publicKey,
          roles: ['payments-operator'],
        },
      }),
    );
    const { clientId, keys } = added.body;
    const path = { clientId };
    const ifMatch = added.entityTag ?? '';
    const changed = await answered(
      'updateClient',
      api.updateClient({ path, body: { name: 'Invoices' }, ifMatch }),
    );
    assert.equal(changed.body.name, 'Invoices');
    await answered('addNetworkEntry', api.addNetworkEntry({ path, body: { entry: '2001:db8::/32' } }));
    const address = '2001:db8::7';
    const allowed = await answered(
      'testNetworkAddress',
      api.testNetworkAddress({ path, query: { address } }),
    );
    assert.deepEqual(allowed.body, { address, isAllowed: true, entries: ['2001:db8::/32'] });
    const entry = { ...path, entry: '203.0.113.0/24' };
    await answered('removeNetworkEntry', api.removeNetworkEntry({ path: entry }));
    await answered('getNetworkWhitelist', api.getNetworkWhitelist({ path }));
    const keyPath = { ...path, keyId: keys[0]!.keyId };
    await answered('getKeyRenewalInfo', api.getKeyRenewalInfo({ path: keyPath }));
    await answered('addKey', api.addKey({ path, body: { publicKey: testKey(4).publicKey } }));
    await answered('retireKey', api.retireKey({ path: keyPath }));
    await answered('revokeKey', api.revokeKey({ path: keyPath, body: { reason: 'compromised' } }));
    await answered('listKeys', api.listKeys({ path }));
    await answered('inspectKey', api.inspectKey({ body: { publicKey: testKey(4).publicKey } }));
    await answered('inspectKey', api.inspectKey({ body: { publicKey: 'nothing' } }));
    await answered('revokeClient', api.revokeClient({ path }));
    await answered('listClients', api.listClients({ query: { search: 'Invo' } }));
  });

  test('roles, permissions and audit events, and their export', async () => {
    const { body: role, entityTag = '' } = await answered(
      'addRole',
      api.addRole({ body: { name: 'refunds', permissions: ['payments:write'] } }),
    );
    await answered('listRoles', api.listRoles());
    await answered('listPermissions', api.listPermissions());
    await answered('listProfiles', api.listProfiles());
    const path = { roleId: role.roleId };
    await answered('removeRole', api.removeRole({ path, ifMatch: entityTag }));
    const { body: events } = await answered('listAuditEvents', api.listAuditEvents({ query: { limit: 2 } }));
    assert.deepEqual(
      events.data.map(({ action }) => action),
      ['role.removed', 'role.added'],
    );
    const { body: lines } = await api.listAuditEvents({ query: { limit: 2, format: 'ndjson' } });
    assert.deepEqual(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      events.data,
    );
  });
});

describe('the typed client and the running service: webhooks, as the document describes them', () => {
  test('a webhook, its deliveries, and what is sent again', async () => {
    const settings = { headers: { 'x-api-key': 'secret' }, attemptsPerMinuteMax: 60 };
    const body = { url: 'https://hooks.example.com/', isPaused: true, ...settings };
    const added = await answered('addWebhook', api.addWebhook({ body }));
    const path = { webhookId: added.body.webhookId };
    await answered('listWebhookEventTypes', api.listWebhookEventTypes());
    await answered('listWebhooks', api.listWebhooks());
    await answered('getWebhook', api.getWebhook({ path }));
    const { body: sent } = await answered('testWebhook', api.testWebhook({ path }));
    const delivery = { ...path, deliveryId: sent.deliveryId };
    await answered('listWebhookDeliveries', api.listWebhookDeliveries({ path }));
    await answered('getWebhookDelivery', api.getWebhookDelivery({ path: delivery }));
    await answered('resendWebhookDelivery', api.resendWebhookDelivery({ path: delivery }));
    const since = '2026-01-01T00:00:00Z';
    await answered('recoverWebhook', api.recoverWebhook({ path, body: { since } }));
    await answered('pauseWebhook', api.pauseWebhook({ path }));
    const rotation = { overlapSeconds: 60 };
    const rotated = await answered('rotateWebhookSecret', api.rotateWebhookSecret({ path, body: rotation }));
    const changes = {
      description: 'Of the team',
      headers: { 'x-api-key': null },
      attemptsPerMinuteMax: null,
    };
    const change = { path, body: changes, ifMatch: rotated.entityTag ?? '' };
    const changed = await answered('updateWebhook', api.updateWebhook(change));
    const { body: listener } = await answered('addWebhookListener', api.addWebhookListener({ body: {} }));
    const listening = { path: { listenerId: listener.listenerId } };
    await answered('pullWebhookEvents', api.pullWebhookEvents({ ...listening, body: {} }));
    await answered('removeWebhookListener', api.removeWebhookListener(listening));
    await answered('removeWebhook', api.removeWebhook({ path, ifMatch: changed.entityTag ?? '' }));
  });
});

describe('the check that the tests above rest on', () => {
  test('it finds what a schema does not allow', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        a: { type: 'integer', minimum: 1 },
        b: { enum: ['x'] },
        c: { $ref: '#/components/schemas/C' },
      },
      required: ['a'],
      additionalProperties: false,
    };
    const schemas: Record<string, JsonSchema> = { C: { type: ['string', 'null'], pattern: '^k' } };
    assert.deepEqual(violations(schema, { a: 1, b: 'x', c: null }, schemas), []);
    for (const value of [{}, { a: 0 }, { a: 1.5 }, { a: 1, b: 'y' }, { a: 1, c: 'x' }, { a: 1, d: 1 }, []])
      assert.notDeepEqual(violations(schema, value, schemas), [], JSON.stringify(value));
  });
});
