import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  builtInRoles,
  isClientPermission,
  memberRoles,
  operations,
  pageLimits,
  permissions,
} from '../../packages/contract/src/index.ts';
import { type DemonstrationService, startDemonstration } from './demonstration-service.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';
import { section, tableRows } from './tables.ts';

const { text } = readDocument('docs/management.md');

describe('docs/management.md', () => {
  let service: DemonstrationService;
  let remove = async (): Promise<void> => undefined;
  before(async () => {
    service = await startDemonstration();
    remove = () => service.remove();
  });
  after(() => remove());

  it('lists the operations with their permissions, in the order of the contract', () => {
    const rows = tableRows(section(text, 'Operations')).map(([operation, permission]) => [
      operation,
      permission,
    ]);
    const expected = Object.values(operations)
      .filter(({ path }) => !/^\/v1\/(?:whoami|signature-test|payments)/.test(path))
      .map(({ method, path, permission }) => [
        `\`${method} ${path}\``,
        permission === undefined ? 'none' : `\`${permission}\``,
      ]);
    assert.deepEqual(rows, expected);
  });

  it('lists the built-in roles with what they permit', () => {
    const rows = tableRows(section(text, 'Who can call it')).map(([role = '', granted = '']) => [
      role.replaceAll('`', ''),
      granted.replaceAll('`', ''),
    ]);
    const all = Object.keys(permissions).filter(isClientPermission).length;
    const expected = Object.entries(builtInRoles).map(([role, { permissions: granted }]) => [
      role,
      granted.length === all
        ? 'all permissions, including accounts:read and accounts:write'
        : granted.toSorted().join(', '),
    ]);
    assert.deepEqual(rows, expected);
    assert.ok(text.includes(`up to ${pageLimits.exportLimitMax.toLocaleString('en-US')}`));
  });

  it('lists the roles of people with what they permit', () => {
    const rows = tableRows(section(text, 'People')).map(([role = '', granted = '']) => [
      role.replaceAll('`', ''),
      granted.replaceAll('`', ''),
    ]);
    const expected = Object.entries(memberRoles).map(([role, { permissions: granted }]) => {
      const base = [builtInRoles.operator, builtInRoles.administrator].find(({ permissions: some }) =>
        some.every((one) => granted.includes(one)),
      );
      if (base === undefined) return [role, granted.toSorted().join(', ')];
      const name = base === builtInRoles.operator ? 'operator' : 'administrator';
      const more = granted.filter((one) => !base.permissions.includes(one)).toSorted();
      return [role, `all of ${name}, and ${more.join(', ')}`];
    });
    assert.deepEqual(rows, expected);
  });

  it('makes an administrator who registers a client, and rotates a key', async () => {
    const { baseUrl } = JSON.parse(
      readFileSync(join(service.folder, 'data/demo/credentials.json'), 'utf8'),
    ) as { baseUrl: string };
    // The blocks of a section are typed in one terminal.
    const session = testBlocks('docs/management.md')
      .map((block) => block.text)
      .join('\n')
      .replaceAll('http://127.0.0.1:8421', baseUrl);
    const { exitCode, output, errors } = await runBlock(
      { path: 'docs/management.md', line: 0, language: 'sh', text: session },
      service.folder,
    );
    assert.equal(exitCode, 0, errors);
    assert.match(output, /"name": ?"Books"/);
    assert.match(output, /"action": ?"client\.added"/);
    assert.match(output, /The key is replaced\.[\s\S]*previous key .* retiring until/);
    assert.match(output, /The key is 0 days old: nothing to do\./);
  });
});
