import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { AlertCondition } from '@countersign/contract';
import { noticeSentence, type ToldNotice } from '../../src/notices/notice-sentence.ts';

const english =
  /\b(?:the|has|have|this|with|from|for|and|of|to|it|is|are|by|since|changed|request|requests|key|gave|started|joined)\b/i;

const notice = {
  happenedAtMs: 0,
  lastHappenedAtMs: 0,
  count: 1,
  client: { clientId: 'client_1', name: 'Kasse' },
  event: undefined,
};

const at = '2026-11-29T18:05:00.000Z';

const alertConditions: readonly AlertCondition[] = [
  { kind: 'failure_rate', percentAbove: 5, requestsMin: 50, minutes: 15 },
  { kind: 'no_requests', minutes: 60 },
  { kind: 'key_due', days: 14 },
  { kind: 'new_address' },
  { kind: 'rate_limited', minutes: 15 },
];

function alertOf(condition: AlertCondition): NonNullable<ToldNotice['alert']> {
  const measured = { value: 12, requests: 400, dueAt: at, sourceAddress: '192.0.2.1' };
  return { alertRuleId: 'alert_rule_1', name: 'Kasse', firedAt: at, condition, ...measured } as never;
}

/** A notice of each kind, as a reader of the inbox would get it. */
const notices: readonly (Partial<ToldNotice> & Pick<ToldNotice, 'kind'>)[] = [
  ...(['rotation_due', 'rotation_overdue', 'expires_in_week', 'expires_in_day'] as const).map((stage) => ({
    kind: 'key_due' as const,
    key: { kid: 'k', fingerprint: 'f', stage, dueAt: at } as never,
  })),
  { kind: 'key_due' },
  ...[1, 3].flatMap((count) => [
    { kind: 'first_failure' as const, count },
    {
      kind: 'first_failure' as const,
      count,
      failure: { outcome: 'signature_invalid', isProved: false } as never,
      recoveredAt: at,
    },
    { kind: 'refused_address' as const, count, sourceAddresses: ['192.0.2.1', '192.0.2.2'] },
    { kind: 'rate_limited' as const, count },
  ]),
  { kind: 'webhook_failing' },
  {
    kind: 'webhook_failing',
    webhook: { url: 'https://a.example/', failingSince: at, disabledAfter: at } as never,
  },
  { kind: 'stream_stalled' },
  { kind: 'stream_stalled', stream: { stream: 'siem', source: 'audit', since: at } as never },
  {
    kind: 'stream_stalled',
    stream: { stream: 'siem', source: 'requests', since: at } as never,
    recoveredAt: at,
  },
  { kind: 'team_changed' },
  { kind: 'alert' },
  ...alertConditions.flatMap((condition) => [
    { kind: 'alert' as const, alert: alertOf(condition) },
    { kind: 'alert' as const, alert: { ...alertOf(condition), resolvedAt: at } },
  ]),
];

const actions = [
  ...readFileSync(new URL('../../src/notices/english-sentence.ts', import.meta.url), 'utf8').matchAll(
    /case '([a-z_]+\.[a-z_]+)'/g,
  ),
].map(([, action]) => action!);

function changed(action: string, count: number, facts: object = {}): ToldNotice {
  const event = { action, actor: { kind: 'person', id: 'p', name: 'Bo' }, ...facts };
  return { ...notice, kind: 'team_changed', count, event: event as never };
}

describe('what an email says about a notice', () => {
  const told: readonly ToldNotice[] = [
    ...notices.map((one) => ({ ...notice, ...one })),
    ...notices.map((one) => ({ ...notice, ...one, client: undefined })),
    ...[...actions, 'account.renamed'].flatMap((action) => [
      changed(action, 1),
      changed(action, 2),
      changed(action, 5, {
        before: { role: 'viewer', email: 'a@b.example', name: 'Prüfer', url: 'https://a.example/' },
        after: { role: 'owner', email: 'a@b.example', name: 'Prüfer', url: 'https://a.example/' },
      }),
      changed(action, 1, { actor: { kind: 'client', id: 'client_1' }, after: { profile: 'curl-8.22' } }),
      changed(action, 1, { actor: { kind: 'system', id: 's' } }),
    ]),
  ];

  test('is a sentence in both languages, without English words in German', () => {
    assert.ok(actions.length > 20, actions.join(' '));
    for (const one of told) {
      const [inEnglish, inGerman] = [noticeSentence(one, 'en'), noticeSentence(one, 'de')];
      assert.notEqual(inGerman, inEnglish);
      assert.doesNotMatch(
        inGerman.replaceAll(/https:\S+|rotation_\w+|signature_invalid/g, ''),
        english,
        inGerman,
      );
      for (const text of [inEnglish, inGerman]) {
        assert.match(text, /^[A-ZÄÖÜ0-9].*\.$/);
        assert.doesNotMatch(text, /undefined|\[object| {2}/, text);
      }
    }
  });

  test('says the same in German', () => {
    assert.equal(
      noticeSentence(
        changed('member.invited', 3, { after: { email: 'kim@example.com', role: 'viewer' } }),
        'de',
      ),
      'Bo hat kim@example.com als Betrachter eingeladen; 2 weitere Änderungen dieser Art folgten innerhalb einer Stunde.',
    );
    assert.equal(
      noticeSentence(
        { ...notice, kind: 'key_due', key: { stage: 'expires_in_day', dueAt: at } as never },
        'de',
      ),
      'Ein Schlüssel des Clients „Kasse“ läuft am 29.11.2026, 18:05 UTC ab, und kein anderer ersetzt ihn.',
    );
  });

  test('says of an alert what was measured, of which client, and whether it is over', () => {
    const texts = (language: 'en' | 'de', client: ToldNotice['client']): readonly string[] =>
      alertConditions.map((condition) =>
        noticeSentence({ ...notice, kind: 'alert', client, alert: alertOf(condition) }, language),
      );
    assert.deepEqual(texts('en', notice.client), [
      'Alert "Kasse": 12 % of 400 requests of "Kasse" failed within 15 minutes.',
      'Alert "Kasse": no request of "Kasse" was accepted for 12 minutes.',
      'Alert "Kasse": a key of "Kasse" expires on 2026-11-29 18:05 UTC, and no other key takes over.',
      'Alert "Kasse": a request of "Kasse" came from a new address, 192.0.2.1.',
      'Alert "Kasse": the rate limit stopped 12 requests of "Kasse" within 15 minutes.',
    ]);
    assert.deepEqual(texts('de', undefined), [
      'Alarm „Kasse“: 12 % von 400 Anfragen sind innerhalb von 15 Minuten gescheitert.',
      'Alarm „Kasse“: Seit 12 Minuten wurde keine Anfrage angenommen.',
      'Alarm „Kasse“: Ein Schlüssel eines Clients läuft am 29.11.2026, 18:05 UTC ab, und kein anderer ersetzt ihn.',
      'Alarm „Kasse“: Eine Anfrage eines Clients kam von einer neuen Adresse, 192.0.2.1.',
      'Alarm „Kasse“: Das Anfragelimit hat innerhalb von 15 Minuten 12 Anfragen abgewiesen.',
    ]);
    const ended = { ...alertOf(alertConditions[1]!), resolvedAt: at };
    assert.match(
      noticeSentence({ ...notice, kind: 'alert', alert: ended }, 'en'),
      /for 12 minutes\. Ended 2026-11-29 18:05 UTC\.$/,
    );
  });
});
