import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AuditAction, auditActions, type AuditEvent } from '@countersign/contract';
import { auditSentence } from '../src/audit/audit-sentence.ts';
import { auditEvents } from '#messages/audit-events.ts';

const person: AuditEvent['actor'] = { kind: 'person', id: 'person_1', name: 'Ada' };
const targetTypes = ['client', 'key', 'role', 'account'] as const;

function event(action: AuditAction, more: Partial<AuditEvent> = {}): AuditEvent {
  const type = targetTypes.find((one) => action.startsWith(one));
  return {
    eventId: 'event_1',
    happenedAt: '2026-11-21T12:00:00.000Z',
    accountId: 'account_1',
    actor: person,
    action,
    targets: [{ type: type ?? 'client', id: `${type ?? 'client'}_1` }],
    ...more,
  };
}

const said = (of: AuditEvent, names = {}): string =>
  auditSentence(of, names)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');

describe('audit events in sentences', () => {
  it('say something of an action that a newer service knows', () => {
    const strange = event('client.teleported' as AuditAction);
    assert.equal(said(strange), 'Ada did client.teleported to client_1');
    assert.equal(said(event('constructor' as AuditAction)), 'Ada did constructor to client_1');
  });

  it('bear whatever stands in an event', () => {
    for (const action of auditActions) {
      for (const content of [
        {},
        { entries: 7, name: null, endsAt: 'never', roles: [1, {}], role: [] },
        { entries: [null] },
      ])
        assert.match(said(event(action, { before: content, after: content, targets: [] })), /^Ada \S/);
    }
  });

  it('cut what is very long', () => {
    const long = said(event('role.added', { after: { name: 'x'.repeat(5000) } }));
    assert.ok(long.length < 200, long);
  });

  for (const action of auditActions) {
    it(`say who did what of ${action}, in words of its own`, () => {
      const sentence = said(event(action));
      assert.match(sentence, /^Ada [a-z]/);
      assert.ok(!sentence.includes(action), sentence);
      assert.match(auditEvents.actionNames[action], /^[A-Z]/);
    });
  }

  it('are all different', () => {
    assert.equal(new Set(auditActions.map((action) => said(event(action)))).size, auditActions.length);
  });

  it('name clients and people where the page knows them, and lead to the client', () => {
    const names = { clientName: (id: string) => (id === 'c/1' ? 'Shop' : undefined) };
    const disabled = event('client.disabled', {
      actor: { kind: 'client', id: 'c/1' },
      targets: [{ type: 'client', id: 'c/1' }],
    });
    assert.equal(said(disabled, names), 'Shop disabled Shop');
    const part = auditSentence(disabled, names).at(-1);
    assert.deepEqual(part, {
      kind: 'client',
      text: 'Shop',
      title: 'c/1',
      href: '/integrations/api-keys/c%2F1',
    });
  });

  it('tell for whom an account manager acts, and why', () => {
    const actor = { ...person, actingReason: 'Ticket 7' };
    assert.equal(
      said(event('client.enabled', { actor })),
      'Ada (acting for you: “Ticket 7”) enabled client_1',
    );
  });

  it('tell the reason for acting once', () => {
    const actor = { ...person, actingReason: 'Ticket 7' };
    for (const action of ['acting.started', 'acting.ended'] as const) {
      const sentence = said(event(action, { actor, after: { reason: 'Ticket 7' } }));
      assert.equal(sentence.split('Ticket 7').length - 1, action === 'acting.started' ? 1 : 0, sentence);
    }
  });

  it('tell what changed', () => {
    const before = { name: 'Shop', roles: ['auditor'], acceptWithoutDate: false };
    const after = { name: 'Store', roles: ['payments-reader'], acceptWithoutDate: true };
    assert.equal(
      said(event('client.updated', { before, after })),
      'Ada changed the client Store: name from Shop to Store; added payments-reader; removed auditor; ' +
        'signatures without “date” turned on',
    );
    const profiles = { before: { profile: 'countersign' }, after: { profile: 'countersign-without-date' } };
    assert.equal(
      said(event('client.updated', profiles)),
      'Ada changed the client client_1: signature profile is now countersign-without-date',
    );
    const rules = event('account.updated', { before: { keyAgeDaysMax: 90 }, after: { keyAgeDaysMax: null } });
    assert.equal(said(rules), 'Ada changed the account account_1: maximum key age in days is no longer set');
  });

  it('tell which addresses came and went, the first of many', () => {
    const entries = (...list: string[]): { entries: object[] } => ({
      entries: list.map((entry) => ({ entry })),
    });
    const replaced = event('network.replaced', {
      before: entries('0.0.0.0/0'),
      after: entries('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'),
    });
    assert.equal(
      said(replaced),
      'Ada changed the network whitelist of client_1: added 192.0.2.1, 192.0.2.2, 192.0.2.3 and 1 more; removed 0.0.0.0/0',
    );
  });

  it('tell when a key ends', () => {
    const fingerprint = 'SHA256:abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
    const retiring = event('key.retiring', {
      actor: { kind: 'client', id: 'client_1' },
      targets: [
        { type: 'key', id: 'key_1' },
        { type: 'client', id: 'client_1' },
      ],
      after: { fingerprint, endsAt: '2026-11-24T12:00:00.000Z' },
    });
    assert.equal(
      said(retiring),
      'The key SHA256:abcdefghij… of client_1 was retired and works until 2026-11-24T12:00:00.000Z',
    );
    const expired = { ...retiring, action: 'key.expired', actor: { kind: 'system', id: 'upkeep' } } as const;
    assert.equal(said(expired), 'The key SHA256:abcdefghij… of client_1 expired');
  });
});
