import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  builtInRoles,
  isBuiltInRole,
  canBePermissionOf,
  isClientPermission,
  isMemberRole,
  isPermission,
  leadingRole,
  memberRoles,
  permissionsFor,
  memberRolesOf,
  operationSchemas,
  operations,
  operatorPermissions,
  type Permission,
  permissions,
  personPermissions,
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
      assert.ok(role.permissions.length > 0 || role.includesDeployment !== undefined, name);
      for (const permission of role.permissions) assert.equal(isPermission(permission), true, permission);
    }
    assert.deepEqual(builtInRoles['payments-reader'].permissions, ['payments:read']);
    assert.ok(builtInRoles.auditor.permissions.every((permission) => permission.endsWith(':read')));
  });

  test('the administrator holds all that an account has, the operator all that there is', () => {
    const all = Object.keys(permissions).toSorted();
    const ofClients = all.filter(isClientPermission);
    assert.deepEqual(builtInRoles.operator.permissions.toSorted(), ofClients);
    assert.deepEqual(
      builtInRoles.administrator.permissions.toSorted(),
      ofClients.filter((name) => !operatorPermissions.has(name)),
    );
  });

  test('no role of clients can have what only people hold', () => {
    for (const permission of personPermissions) {
      assert.equal(isPermission(permission), true, permission);
      assert.equal(isClientPermission(permission), false, permission);
      for (const role of Object.values(builtInRoles))
        assert.ok(!role.permissions.includes(permission), permission);
      assert.equal(canBePermissionOf('clients', permission), false, permission);
      assert.equal(canBePermissionOf('members', permission), true, permission);
      assert.ok(!permissionsFor('clients', {}).some(({ name }) => name === permission), permission);
      assert.ok(
        permissionsFor('members', {}).some(({ name }) => name === permission),
        permission,
      );
    }
    for (const name of ['', 'constructor', 'payments']) assert.equal(isClientPermission(name), false, name);
  });
});

describe('roles of people', () => {
  const sorted = (role: keyof typeof memberRoles): readonly Permission[] =>
    memberRoles[role].permissions.toSorted();

  test('names from Object.prototype and roles of clients are none', () => {
    for (const name of ['', 'constructor', '__proto__', 'administrator', 'Owner'])
      assert.equal(isMemberRole(name), false, name);
    for (const role of Object.keys(memberRoles)) assert.equal(isMemberRole(role), true, role);
  });

  test('an account has four of them, that of the operator three; one leads', () => {
    assert.deepEqual(memberRolesOf({ isOperator: false }), ['owner', 'admin', 'developer', 'viewer']);
    assert.deepEqual(memberRolesOf({ isOperator: true }), ['operator', 'account-manager', 'viewer']);
    assert.equal(leadingRole({ isOperator: false }), 'owner');
    assert.equal(leadingRole({ isOperator: true }), 'operator');
  });

  test('owner and admin hold all that an account has, the operator all that there is', () => {
    const all = (Object.keys(permissions) as Permission[]).toSorted();
    assert.deepEqual(sorted('operator'), all);
    assert.deepEqual(
      sorted('owner'),
      all.filter((name) => !operatorPermissions.has(name)),
    );
    assert.deepEqual(sorted('admin'), sorted('owner'));
  });

  test('nobody in an account holds what is for the operator, and a viewer holds nothing that changes', () => {
    for (const role of memberRolesOf({ isOperator: false }))
      assert.ok(
        memberRoles[role].permissions.every((name) => !operatorPermissions.has(name)),
        role,
      );
    assert.ok(memberRoles.viewer.permissions.every((name) => name.endsWith(':read')));
    const { permissions: developer } = memberRoles.developer;
    for (const name of ['roles:write', 'members:write', 'policy:write'] as const)
      assert.ok(!developer.includes(name), name);
    assert.deepEqual(sorted('account-manager'), ['accounts:act', 'accounts:read', 'members:read']);
  });
});

describe('operations', () => {
  const signatureTests = Object.values(operations).filter(({ path }) => path === '/v1/signature-test');

  /** A person's own inbox: the permissions for the subjects of its notices decide what is in it. */
  /** Who may see and decide one depends on the operation that it calls. */
  const ofPendingChanges = [
    'listPendingChanges',
    'getPendingChange',
    'approvePendingChange',
    'rejectPendingChange',
    'withdrawPendingChange',
  ];
  /** Views are the person's own; what they share shows its readers nothing that they may not see. */
  const ofSavedViews = ['addSavedView', 'updateSavedView', 'removeSavedView'];
  const ofInbox = [
    'listNotices',
    'readNotice',
    'readAllNotices',
    'getNoticePreferences',
    'updateNoticePreferences',
  ];

  test('only whoami, the tests of signatures, and what tells or takes nothing need no permission', () => {
    const open = Object.values(operations).filter((operation) => operation.permission === undefined);
    assert.deepEqual(
      open.map((operation) => operation.id),
      [
        'getWhoami',
        ...signatureTests.map(({ id }) => id),
        'getSource',
        ...ofInbox,
        ...ofPendingChanges,
        'endActing',
      ],
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
    const readingWithBody = ['inspectKey', 'explainRequest', 'previewAlertRule'];
    for (const { id, method, permission } of Object.values(operations)) {
      // Who may only look at accounts has no business with the settings of the service.
      if (permission === undefined || id === 'listServiceSettings' || ofSavedViews.includes(id)) continue;
      const isReading = method === 'GET' || readingWithBody.includes(id);
      const changing = id === 'startActing' ? /:act$/ : /:write$/;
      assert.match(permission, isReading ? /:read$/ : changing, id);
    }
  });

  test('only keys can be managed by their own client, and no more than adding, ending and reading them', () => {
    const own = Object.values(operations).filter((operation) => operation.permissionOnItself !== undefined);
    assert.deepEqual(
      own.map(({ id, permissionOnItself }) => [id, permissionOnItself]),
      ['listKeys', 'addKey', 'getKey', 'retireKey', 'revokeKey', 'refreshDirectory', 'getKeyRenewalInfo'].map(
        (id) => [id, 'self:rotate'],
      ),
    );
    for (const { path } of own)
      assert.match(path, /^\/v1\/clients\/\{clientId\}\/(?:keys|directory\/refresh)/);
  });

  test('what replaces or merges needs If-Match, and what creates takes an Idempotency-Key', () => {
    for (const { id, path, method, status, ifMatch, takesIdempotencyKey } of Object.values(operations)) {
      // They change nothing.
      if (path === '/v1/signature-test') continue;
      // The role is all that a member has, and preferences are the person's own, so no other person's change
      // could be lost.
      const isUnshared = ['changeMember', 'updateNoticePreferences', ...ofSavedViews].includes(id);
      if ((method === 'PATCH' || method === 'PUT') && !isUnshared) assert.equal(ifMatch, 'required', id);
      if (method === 'GET') assert.equal(ifMatch, undefined, id);
      const isCreating = status === 201;
      // It responds with 200, because it may create none: each client has an outcome of its own.
      const isImport = id === 'importClients';
      assert.equal(takesIdempotencyKey === true, isCreating || isImport, id);
      if (isCreating) assert.equal(method, 'POST', id);
    }
  });

  test('a person proves anew who they are before whatever changes something, but for ending what they have begun', () => {
    // A directory is read every day anyway.
    const harmless = [
      'inspectKey',
      'explainRequest',
      'previewAlertRule',
      'endActing',
      'refreshDirectory',
      'withdrawPendingChange',
      ...ofInbox,
      ...ofSavedViews,
    ];
    for (const { id, method, callers, needsStepUp } of Object.values(operations)) {
      const isChanging = callers !== 'clients' && method !== 'GET' && !harmless.includes(id);
      assert.equal(needsStepUp === true, isChanging, id);
    }
  });

  test('what only people can hold is asked for only where only people call', () => {
    for (const { id, permission, callers, isOpenToOneself, path } of Object.values(operations)) {
      if (permission !== undefined && personPermissions.has(permission)) assert.equal(callers, 'people', id);
      if (isOpenToOneself) assert.ok(path.includes('{userId}') && callers === 'people', id);
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
