import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  auditFiltersQuery,
  fitsAuditFilters,
  readAuditFilters,
} from '../src/pages/audit-log/audit-filters.ts';
import {
  defaultRequestFilters,
  fitsFilters,
  readRequestFilters,
  requestFiltersQuery,
  requestListQuery,
  requestsPath,
} from '../src/requests/request-filters.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');

describe('filters in the address of a page', () => {
  it('what cannot be read counts as not given', () => {
    for (const text of [
      '',
      'period=99d&from=yesterday&to=2026',
      `client=${'x'.repeat(300)}&outcome=${encodeURIComponent('a\u0000b')}`,
      'from=2026-11-20T00:00:00Z',
      `search=${'x'.repeat(257)}&sort=reason&status=teapot`,
      'search=%20&status=4&sort=-',
    ])
      assert.deepEqual(readRequestFilters(new URLSearchParams(text)), defaultRequestFilters, text);
    assert.equal(readAuditFilters(new URLSearchParams('action=constructor')).action, undefined);
  });

  it('what is written is what is read', () => {
    const text =
      'client=client_1&outcome=refused&status=4xx&search=%2Fv1%2Fpayments+acme&sort=-durationMs&period=custom&from=2026-11-20T00%3A00%3A00.000Z&to=2026-11-21T00%3A00%3A00.000Z';
    assert.equal(requestFiltersQuery(readRequestFilters(new URLSearchParams(text))).toString(), text);
    const audit = 'action=key.added&actor=person_1&client=client_1&period=7d';
    assert.equal(auditFiltersQuery(readAuditFilters(new URLSearchParams(audit))).toString(), audit);
    assert.equal(
      requestsPath({ clientId: 'a&b', period: '1h' }, 'request_1'),
      '/logs/requests?client=a%26b&period=1h&request=request_1',
    );
  });

  it('the API is asked by a clock', () => {
    assert.deepEqual(requestListQuery(defaultRequestFilters, nowMs), { from: '2026-11-20T12:00:00.000Z' });
    const search = 'request_01k9xq2v6h4mz7c1r8t0w5n3bd';
    assert.deepEqual(requestListQuery({ ...defaultRequestFilters, search, sort: 'url' }, nowMs), {
      search,
      sort: 'url',
    });
  });

  it('what has just come is counted only where it belongs to the list', () => {
    const entry = {
      requestId: 'request_01k9xq2v6h4mz7c1r8t0w5n3bd',
      receivedAt: '2026-11-21T12:00:00Z',
      clientId: 'client_1',
      outcome: 'digest_mismatch',
      isObserved: false,
      method: 'POST',
      url: '/v1/payments?limit',
      status: 400,
      sourceAddress: '203.0.113.7',
    };
    const nameOf = (clientId: string): string | undefined => (clientId === 'client_1' ? 'Ácme' : undefined);
    const fits = (part: Partial<typeof defaultRequestFilters>): boolean =>
      fitsFilters(entry, { ...defaultRequestFilters, ...part }, nameOf);
    assert.ok(fits({}));
    assert.ok(fits({ outcome: 'refused', clientId: 'client_1' }));
    assert.ok(fits({ outcome: 'digest_mismatch' }));
    assert.ok(!fits({ outcome: 'accepted' }));
    assert.ok(!fits({ outcome: 'observed' }));
    assert.ok(!fits({ clientId: 'client_2' }));
    assert.ok(fits({ status: '4xx', search: '/v1/payments acme POST 203.0.113.7' }));
    assert.ok(!fits({ status: '5xx' }));
    assert.ok(!fits({ search: 'acme 401' }));
    assert.ok(!fits({ search: 'status:teapot' }));
    assert.ok(!fits({ period: 'custom', to: '2026-11-21T00:00:00.000Z' }));
    const observes = (outcome: string): boolean =>
      fitsFilters({ ...entry, isObserved: true }, { ...defaultRequestFilters, outcome }, nameOf);
    assert.deepEqual(['observed', 'refused', 'digest_mismatch'].map(observes), [true, false, true]);
    const event = {
      eventId: 'event_1',
      happenedAt: '2026-11-21T12:00:00Z',
      accountId: 'account_1',
      actor: { kind: 'person', id: 'person_1' },
      action: 'key.added',
      targets: [{ type: 'client', id: 'client_1' }],
    } as const;
    const audit = readAuditFilters(new URLSearchParams('action=key.added&actor=person_1&client=client_1'));
    assert.ok(fitsAuditFilters(event, audit));
    assert.ok(!fitsAuditFilters({ ...event, action: 'key.revoked' }, audit));
    const ofKeys = readAuditFilters(new URLSearchParams('action=key'));
    assert.ok(fitsAuditFilters({ ...event, action: 'key.revoked' }, ofKeys));
    assert.ok(!fitsAuditFilters({ ...event, action: 'role.added' }, ofKeys));
    assert.ok(!fitsAuditFilters({ ...event, targets: [] }, audit));
  });
});
