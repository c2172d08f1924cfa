import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  builtInRoles,
  isBuiltInRole,
  isPermission,
  operationSchemas,
  operations,
  operatorPermissions,
  permissions,
} from '@countersign/contract';

describe('permissions', () => {
  test('names from Object.prototype are neither permissions nor roles', () => {
    for (const name of [
      '',
      'constructor',
      '__proto__',
      'toString',
      'payments',
      'payments:*',
      'PAYMENTS:READ',
    ]) {
      assert.equal(isPermission(name), false, name);
      assert.equal(isBuiltInRole(name), false, name);
    }
  });

  test('a name is resource:action', () => {
    for (const name of Object.keys(permissions)) {
      assert.match(name, /^[a-z-]+:[a-z-]+$/);
      assert.equal(isPermission(name), true);
    }
  });

  test('a built-in role holds only permissions that exist, and the reader cannot write', () => {
    for (const [name, role] of Object.entries(builtInRoles)) {
      assert.equal(isBuiltInRole(name), true);
      assert.ok(role.permissions.length > 0);
      for (const permission of role.permissions) assert.equal(isPermission(permission), true, permission);
    }
    assert.deepEqual(builtInRoles['payments-reader'].permissions, ['payments:read']);
    assert.ok(builtInRoles.auditor.permissions.every((permission) => permission.endsWith(':read')));
  });

  test('the administrator holds all that an account has, the operator all that there is', () => {
    const all = Object.keys(permissions).toSorted();
    assert.deepEqual(builtInRoles.operator.permissions.toSorted(), all);
    assert.deepEqual(
      builtInRoles.administrator.permissions.toSorted(),
      all.filter((name) => !operatorPermissions.has(name as never)),
    );
  });
});

describe('operations', () => {
  const signatureTests = Object.values(operations).filter(({ path }) => path === '/v1/signature-test');

  test('only whoami and the tests of signatures need no permission', () => {
    const open = Object.values(operations).filter((operation) => operation.permission === undefined);
    assert.deepEqual(
      open.map((operation) => operation.id),
      ['getWhoami', ...signatureTests.map(({ id }) => id)],
    );
  });

  test('a signature can be tested with every method, and only there a refusal is explained', () => {
    assert.deepEqual(
      signatureTests.map(({ method }) => method),
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    );
    for (const operation of Object.values(operations))
      assert.equal(operation.explainsRefusals === true, signatureTests.includes(operation), operation.id);
  });

  test('what changes something needs a write permission, what reads needs a read permission', () => {
    // It reads a text that is too long and too delicate for a URL, and keeps nothing.
    const readingWithBody = ['inspectKey', 'explainRequest'];
    for (const { id, method, permission } of Object.values(operations)) {
      if (permission === undefined) continue;
      const isReading = method === 'GET' || readingWithBody.includes(id);
      assert.match(permission, isReading ? /:read$/ : /:write$/, id);
    }
  });

  test('only keys can be managed by their own client, and no more than adding and retiring them', () => {
    const own = Object.values(operations).filter((operation) => operation.permissionOnItself !== undefined);
    assert.deepEqual(
      own.map(({ id, permissionOnItself }) => [id, permissionOnItself]),
      ['listKeys', 'addKey', 'getKey', 'retireKey', 'getKeyRenewalInfo'].map((id) => [id, 'self:rotate']),
    );
    for (const { path } of own) assert.ok(path.startsWith('/v1/clients/{clientId}/keys'), path);
  });

  test('what replaces or merges needs If-Match, and what creates takes an Idempotency-Key', () => {
    for (const { id, path, method, ifMatch, takesIdempotencyKey } of Object.values(operations)) {
      // They change nothing.
      if (path === '/v1/signature-test') continue;
      if (method === 'PATCH' || method === 'PUT') assert.equal(ifMatch, 'required', id);
      if (method === 'GET') assert.equal(ifMatch, undefined, id);
      const isCreating = operationSchemas[id].status === 201;
      assert.equal(takesIdempotencyKey === true, isCreating, id);
      if (isCreating) assert.equal(method, 'POST', id);
    }
  });

  test('a body is described exactly where one is sent', () => {
    for (const { id, method } of Object.values(operations)) {
      const { body } = operationSchemas[id];
      if (method === 'GET' || method === 'DELETE') assert.equal(body, undefined, id);
      if (method === 'PATCH' || method === 'PUT') assert.notEqual(body, undefined, id);
    }
  });

  test('method and path together are unique, and the id is the key', () => {
    const seen = new Set<string>();
    for (const [key, { id, method, path }] of Object.entries(operations)) {
      assert.equal(id, key);
      assert.match(path, /^\/v1(\/[a-z-]+|\/\{[a-zA-Z]+\})+$/);
      assert.equal(seen.has(`${method} ${path}`), false);
      seen.add(`${method} ${path}`);
    }
  });
});
