import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { memberRoles, memberRolesOf } from '@countersign/contract';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { section, tableRows } from './tables.ts';

describe('docs/portal.md', () => {
  const { text } = readDocument('docs/portal.md');

  it('has the roles of people as the service knows them', () => {
    const operators = memberRolesOf({ isOperator: true });
    const rows = Object.entries(memberRoles).map(([role, { summary, permissions }]) => [
      role,
      operators.some((one) => one === role && one !== 'viewer') ? 'provider' : 'account',
      summary,
      permissions.map((permission) => `\`${permission}\``).join(' '),
    ]);
    assert.deepEqual(tableRows(section(text, 'People and what they may do')), rows);
  });
});

describe('docs/portal/README.md', () => {
  const { text } = readDocument('docs/portal/README.md');

  it('shows each picture of the folder, and no other', () => {
    const pictures = readdirSync(join(root, 'docs/portal')).filter((name) => name.endsWith('.webp'));
    const shown = [...text.matchAll(/\]\(([\w-]+\.webp)\)/g)].map(([, name]) => name ?? '');
    assert.deepEqual(new Set(shown), new Set(pictures));
    assert.ok(pictures.length >= 40, `${pictures.length} pictures`);
  });
});
