import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClientContent, emptyClientForm } from '../../src/pages/api-keys/form/client-form.ts';
import { mergeContents } from '../../src/pages/api-keys/form/client-merge.ts';

const { publicKey: _key, keyEnd: _end, draft: _draft, ...empty } = emptyClientForm;
const before: ClientContent = {
  ...empty,
  name: 'Web shop',
  network: [
    { entry: '203.0.113.7', label: 'Office' },
    { entry: '198.51.100.0/24', label: '' },
  ],
  roles: ['auditor', 'payments-reader'],
  metadata: 'owner = Ada\nteam = Web',
};

describe('the changes that two people made to one client', () => {
  it('are both kept where they do not touch, entry by entry', () => {
    const mine = {
      ...before,
      name: 'Shop',
      network: [...before.network.slice(1), { entry: '192.0.2.1', label: 'Mine' }],
      roles: ['auditor', 'payments-reader', 'payments-operator'],
      metadata: 'owner = Ben\nteam = Web',
    };
    const theirs = {
      ...before,
      network: [...before.network, { entry: '192.0.2.2', label: 'Theirs' }],
      roles: ['payments-reader'],
      metadata: 'owner = Ada\nteam = Shop',
      tags: ['eu'],
      requestsPerMinuteMax: '60',
    };
    assert.deepEqual(mergeContents(before, mine, theirs), {
      conflicts: [],
      content: {
        ...before,
        name: 'Shop',
        network: [
          { entry: '198.51.100.0/24', label: '' },
          { entry: '192.0.2.2', label: 'Theirs' },
          { entry: '192.0.2.1', label: 'Mine' },
        ],
        roles: ['payments-reader', 'payments-operator'],
        metadata: 'owner = Ben\nteam = Shop',
        tags: ['eu'],
        requestsPerMinuteMax: '60',
      },
    });
  });

  it('never bring back what either of them removed', () => {
    const mine = { ...before, roles: ['auditor'] };
    const theirs = { ...before, network: before.network.slice(0, 1), roles: ['payments-reader'] };
    const { content, conflicts } = mergeContents(before, mine, theirs);
    assert.deepEqual([content.network, content.roles, conflicts], [theirs.network, [], []]);
  });

  it('are asked about where together they would leave no network', () => {
    const mine = { ...before, network: before.network.slice(1) };
    const theirs = { ...before, network: before.network.slice(0, 1) };
    const { content, conflicts } = mergeContents(before, mine, theirs);
    assert.deepEqual([content.network, conflicts], [mine.network, ['network']]);
  });

  it('are asked about where both changed the same, and mine stands first', () => {
    const relabelled = (label: string): ClientContent['network'] => [
      { entry: '203.0.113.7', label },
      ...before.network.slice(1),
    ];
    const mine = { ...before, name: 'Mine', network: relabelled('Mine'), allowExplanations: true };
    const theirs = { ...before, name: 'Theirs', network: relabelled('Theirs'), allowExplanations: true };
    const { content, conflicts } = mergeContents(before, mine, theirs);
    assert.deepEqual(conflicts, ['name', 'network']);
    assert.deepEqual([content.name, content.network[0]?.label], ['Mine', 'Mine']);
  });

  it('are a conflict where one removes what the other changes', () => {
    const mine = { ...before, network: before.network.slice(1) };
    const theirs = {
      ...before,
      network: [{ entry: '203.0.113.7', label: 'Theirs' }, ...before.network.slice(1)],
    };
    assert.deepEqual(mergeContents(before, mine, theirs).conflicts, ['network']);
    assert.deepEqual(mergeContents(before, theirs, mine).conflicts, ['network']);
  });
});
