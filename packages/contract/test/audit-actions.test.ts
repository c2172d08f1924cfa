import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditActions, auditActionsOf, auditFamilies, auditFamilyOf } from '@countersign/contract';

test('every action of the audit log belongs to one family, and every family has actions', () => {
  assert.deepEqual(
    auditActions.filter((action) => !auditFamilies.includes(auditFamilyOf(action))),
    [],
  );
  const found = auditFamilies.flatMap((family) => auditActionsOf(family));
  assert.deepEqual(found.toSorted(), auditActions.toSorted());
  assert.ok(auditFamilies.every((family) => auditActionsOf(family).length > 0));
});
