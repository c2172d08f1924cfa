import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changedMembers } from '../src/audit/changed-members.ts';

it('whatever an event holds becomes lines of text', () => {
  const words = { yes: 'yes', no: 'no', none: 'none' };
  const members = changedMembers(
    {
      before: { keyAgeDaysMax: null, roles: ['a'], isActive: true },
      after: {
        keyAgeDaysMax: 90,
        roles: ['a', 'b'],
        network: [{ entry: '0.0.0.0', label: '' }],
        constructor: 'x',
      },
    },
    { roles: 'roles' },
    words,
  );
  assert.deepEqual(
    members.map(({ label, before, after }) => [label, before, after]),
    [
      ['Key age days max', ['none'], ['90']],
      ['Roles', ['a'], ['a', 'b']],
      ['Is active', ['yes'], []],
      ['Network', [], ['Entry: 0.0.0.0']],
      ['Constructor', [], ['x']],
    ],
  );
});
