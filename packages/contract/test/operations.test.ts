import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtInRoles, isBuiltInRole, isPermission, operations, permissions } from '@countersign/contract';

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
  });
});

describe('operations', () => {
  test('only whoami needs no permission', () => {
    const open = Object.values(operations).filter((operation) => operation.permission === undefined);
    assert.deepEqual(
      open.map((operation) => operation.id),
      ['getWhoami'],
    );
  });

  test('what changes something needs a write permission, what reads needs a read permission', () => {
    for (const { id, method, permission } of Object.values(operations)) {
      if (permission === undefined) continue;
      assert.match(permission, method === 'GET' ? /:read$/ : /:write$/, id);
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
