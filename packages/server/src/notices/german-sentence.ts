import type { AuditEvent, WebhookData } from '@countersign/contract';
import { germanRole } from '../people/identity/identity.ts';
import type { NoticeRecord } from './inbox.ts';
import type { ToldNotice } from './notice-sentence.ts';

/** Returns a notice's content as one plain German sentence, for emails. */
export function germanSentence(notice: ToldNotice): string {
  const ofClient = notice.client === undefined ? 'eines Clients' : `des Clients „${notice.client.name}“`;
  switch (notice.kind) {
    case 'key_due':
      return keySentence(notice, ofClient);
    case 'first_failure':
      return failureSentence(notice, ofClient);
    case 'refused_address':
      return addressSentence(notice, ofClient);
    case 'rate_limited':
      return notice.count === 1
        ? `Eine Anfrage ${ofClient} hat das Anfragelimit überschritten.`
        : `${notice.count} Anfragen ${ofClient} haben das Anfragelimit überschritten.`;
    case 'webhook_failing':
      return webhookSentence(notice);
    case 'stream_stalled':
      return streamSentence(notice);
    case 'alert':
      return alertSentence(notice, ofClient);
    case 'change_waiting':
    case 'team_changed':
    case 'policy_changed':
      return changeSentence(notice, ofClient);
  }
}

function keySentence({ key }: Pick<NoticeRecord, 'key'>, ofClient: string): string {
  switch (key?.stage) {
    case 'rotation_overdue':
      return `Ein Schlüssel ${ofClient} hätte bis zum ${dayOf(key.dueAt)} gewechselt werden sollen.`;
    case 'expires_in_week':
    case 'expires_in_day':
      return `Ein Schlüssel ${ofClient} läuft am ${minuteOf(key.dueAt)} ab, und kein anderer ersetzt ihn.`;
    default:
      return `Ein Schlüssel ${ofClient} sollte ${key === undefined ? 'bald' : `bis zum ${dayOf(key.dueAt)}`} gewechselt werden.`;
  }
}

function failureSentence(
  { count, failure, recoveredAt }: Pick<NoticeRecord, 'count' | 'failure' | 'recoveredAt'>,
  ofClient: string,
): string {
  const what =
    count === 1
      ? `Eine Anfrage ${ofClient} wurde abgelehnt`
      : `${count} Anfragen ${ofClient} wurden abgelehnt`;
  const code = failure === undefined ? '' : `: ${failure.outcome}`;
  const doubt =
    failure?.isProved === false
      ? ' Die Signatur war nicht gültig, die Anfrage kann also von jedem stammen.'
      : '';
  const end =
    recoveredAt === undefined ? '' : ` Seit ${minuteOf(recoveredAt)} werden Anfragen wieder angenommen.`;
  return `${what}${code}.${doubt}${end}`;
}

function addressSentence(
  { count, sourceAddresses = [] }: Pick<NoticeRecord, 'count' | 'sourceAddresses'>,
  ofClient: string,
): string {
  const addresses = sourceAddresses.join(', ');
  return count === 1
    ? `Eine signierte Anfrage ${ofClient} kam von einer Adresse, die nicht auf der Netzwerk-Whitelist steht: ${addresses}.`
    : `${count} signierte Anfragen ${ofClient} kamen von Adressen, die nicht auf der Netzwerk-Whitelist stehen: ${addresses}.`;
}

function webhookSentence({ webhook }: Pick<NoticeRecord, 'webhook'>): string {
  if (webhook === undefined) return 'Ein Webhook ist gestört.';
  return (
    `An den Webhook ${webhook.url} wurde seit ${minuteOf(webhook.failingSince)} nichts zugestellt. ` +
    `Er wird deaktiviert, wenn nach ${minuteOf(webhook.disabledAfter)} noch ein Versuch scheitert.`
  );
}

function streamSentence({ stream, recoveredAt }: Pick<NoticeRecord, 'stream' | 'recoveredAt'>): string {
  if (stream === undefined) return 'Ein Stream stockt.';
  const log = stream.source === 'audit' ? 'Audit-Log' : 'Anfrage-Log';
  // The problem is told in English, like the entries of the log.
  const problem = stream.problem === undefined ? '' : ` Meldung: ${stream.problem}`;
  const end =
    recoveredAt === undefined
      ? ' Prüfen Sie den Empfänger. Der Dienst versucht es weiter und sendet, was wartet, sobald der Empfänger wieder bestätigt.'
      : ` Seit ${minuteOf(recoveredAt)} wird er wieder empfangen.`;
  return `Der Empfänger des Streams „${stream.stream}“ hat aus dem ${log} seit ${minuteOf(stream.since)} nichts bestätigt.${problem}${end}`;
}

/** What an alert is about, and what was measured. */
function alertSentence({ alert, client }: Pick<NoticeRecord, 'alert' | 'client'>, ofClient: string): string {
  if (alert === undefined) return 'Eine Alarmregel hat ausgelöst.';
  const of = client === undefined ? '' : ` ${ofClient}`;
  const { resolvedAt } = alert;
  const end = resolvedAt === undefined ? '' : ` Beendet am ${minuteOf(resolvedAt)}.`;
  return `Alarm „${alert.name}“: ${alertWords(alert, of, ofClient)}${end}`;
}

function alertWords({ condition, ...alert }: WebhookData<'alert'>, of: string, ofClient: string): string {
  const minutes = condition.minutes ?? 0;
  switch (condition.kind) {
    case 'failure_rate':
      return `${alert.value ?? 0} % von ${alert.requests ?? 0} Anfragen${of} sind innerhalb von ${minutes} Minuten gescheitert.`;
    case 'no_requests':
      return `Seit ${alert.value ?? minutes} Minuten wurde keine Anfrage${of} angenommen.`;
    case 'key_due':
      return `Ein Schlüssel ${ofClient} läuft am ${minuteOf(alert.dueAt ?? '')} ab, und kein anderer ersetzt ihn.`;
    case 'new_address':
      return `Eine Anfrage ${ofClient} kam von einer neuen Adresse, ${alert.sourceAddress ?? ''}.`;
    case 'rate_limited':
      return `Das Anfragelimit hat innerhalb von ${minutes} Minuten ${alert.value ?? 0} Anfragen${of} abgewiesen.`;
  }
}

function changeSentence({ event, count }: Pick<NoticeRecord, 'event' | 'count'>, ofClient: string): string {
  if (event === undefined) return 'Eine Einstellung wurde geändert.';
  const actor = event.actor.name ?? actorWords(event.actor);
  const others =
    count > 2
      ? `; ${count - 1} weitere Änderungen dieser Art folgten innerhalb einer Stunde`
      : count === 2
        ? '; eine weitere Änderung dieser Art folgte innerhalb einer Stunde'
        : '';
  return `${actor} hat ${changeWords(event, ofClient)}${others}.`;
}

function actorWords({ kind, id }: AuditEvent['actor']): string {
  if (kind === 'client') return `Der Client ${id}`;
  return kind === 'system' ? 'Der Dienst' : 'Der Betreiber';
}

/** Says what was done, after "hat". */
function changeWords({ action, before = {}, after = {} }: AuditEvent, ofClient: string): string {
  const role = roleOf(after['role']) ?? roleOf(before['role']) ?? 'Mitglied';
  const person = textOf(after['email']) ?? textOf(before['email']);
  switch (action) {
    case 'member.invited':
      return `${person ?? 'jemanden'} als ${role} eingeladen`;
    case 'invitation.revoked':
      return `die Einladung ${person === undefined ? '' : `an ${person} `}zurückgezogen`;
    case 'member.joined':
      return `die Einladung angenommen und ist jetzt ${role}`;
    case 'member.role_changed':
      return `die Rolle eines Mitglieds von ${roleOf(before['role']) ?? 'einer anderen'} zu ${role} geändert`;
    case 'member.removed':
      return `${person ?? 'jemanden'} aus dem Konto entfernt`;
    case 'pending_change.requested':
      return 'eine Änderung beantragt, die auf eine zweite Person wartet: siehe „Ausstehende Änderungen“ im Portal';
    case 'acting.started':
      return 'begonnen, für das Konto zu handeln';
    case 'network.added':
    case 'network.removed':
    case 'network.replaced':
      return `die Netzwerk-Whitelist ${ofClient} geändert`;
    case 'role.added':
      return `die Rolle ${textOf(after['name']) ?? ''} angelegt`.replace('  ', ' ');
    case 'role.updated':
      return 'eine Rolle geändert';
    case 'role.removed':
      return `die Rolle ${textOf(before['name']) ?? ''} gelöscht`.replace('  ', ' ');
    case 'policy.updated':
      return 'die Sicherheitsrichtlinien geändert';
    case 'client.updated':
      if (textOf(after['profile']) !== undefined) return profileWords(after, ofClient);
      return `Rollen, Limits oder Einstellungen ${ofClient} geändert`;
    case 'clients.changed':
      return 'die Rollen oder Netzwerk-Whitelists mehrerer Clients geändert';
    default:
      return otherChange({ action, before, after });
  }
}

function otherChange({
  action,
  before = {},
  after = {},
}: Pick<AuditEvent, 'action' | 'before' | 'after'>): string {
  switch (action) {
    case 'alert_rule.added':
      return `die Alarmregel ${textOf(after['name']) ?? ''} angelegt`.replace('  ', ' ');
    case 'alert_rule.updated':
      return 'eine Alarmregel geändert';
    case 'alert_rule.removed':
      return `die Alarmregel ${textOf(before['name']) ?? ''} gelöscht`.replace('  ', ' ');
    case 'webhook.added':
      return `einen Webhook an ${textOf(after['url']) ?? 'eine URL'} angelegt`;
    case 'webhook.updated':
      return 'einen Webhook geändert';
    case 'webhook.removed':
      return `den Webhook an ${textOf(before['url']) ?? 'eine URL'} gelöscht`;
    case 'webhook.paused':
      return 'einen Webhook angehalten';
    case 'webhook.resumed':
      return 'einen Webhook fortgesetzt';
    case 'webhook.disabled':
      return 'einen Webhook deaktiviert, weil die Zustellungen zu lange gescheitert sind';
    case 'webhook.secret_rotated':
      return 'einem Webhook ein neues Geheimnis gegeben';
    case 'account.suspended':
      return 'das Konto gesperrt';
    case 'account.resumed':
      return 'das Konto entsperrt';
    case 'account.closed':
      return 'das Konto geschlossen';
    default:
      return 'die Kontoeinstellungen geändert';
  }
}

function profileWords({ profile, ...others }: Readonly<Record<string, unknown>>, ofClient: string): string {
  const also = Object.keys(others).length === 0 ? '' : ' und andere Einstellungen';
  return `das Signaturprofil ${ofClient} zu ${String(profile)}${also} geändert`;
}

function roleOf(value: unknown): string | undefined {
  const name = textOf(value);
  return name === undefined ? undefined : germanRole(name);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function dayOf(at: string): string {
  const [year = '', month = '', day = ''] = at.slice(0, 10).split('-');
  return `${day}.${month}.${year}`;
}

function minuteOf(at: string): string {
  return `${dayOf(at)}, ${at.slice(11, 16)} UTC`;
}
