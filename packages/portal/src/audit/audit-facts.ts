import type { AuditEvent, AuditTarget } from '@countersign/contract';
import { clientPath } from '../clients/client-path.ts';
import { webhookPath } from '../webhooks/webhook-path.ts';
import { alertRulesPath } from '../alerts/alert-rules-path.ts';
import type { AuditFacts, AuditPart } from '../messages/audit-words.ts';

/** Lookups of the names behind the IDs of an event. */
export interface AuditNames {
  readonly clientName?: ((clientId: string) => string | undefined) | undefined;
  readonly personName?: ((userId: string) => string | undefined) | undefined;
}

const textLengthMax = 120;

/**
 * Reads an event once, from members that may contain anything. Missing or mistyped values are omitted or
 * shown as IDs.
 */
export function readAuditFacts(event: AuditEvent, names: AuditNames): AuditFacts {
  const { before = {}, after = {} } = event;
  const endsAt = textOf(after['endsAt']);
  return {
    client: clientPart(event, names),
    key: keyPart(event),
    role: namedPart('role', event),
    account: namedPart('account', event),
    member: memberPart(event, names),
    webhook: webhookPart(event),
    alertRule: namedPart('alert_rule', event),
    operation: textOf(after['operation']),
    savedView: savedViewPart(event),
    memberRole: valuePart(textOf(after['role']) ?? textOf(before['role'])),
    endsAt:
      endsAt === undefined || Number.isNaN(Date.parse(endsAt)) ? undefined : { kind: 'time', text: endsAt },
    reason: textOf(after['reason']) ?? textOf(before['reason']),
    entriesAdded: entriesOf(after),
    entriesRemoved: entriesOf(before),
    bulk: {
      action: textOf(after['action']) ?? '',
      what: bulkParts(after),
      clients: typeof after['clients'] === 'number' ? after['clients'] : 0,
    },
    isReplacement: textOf(after['replacesKeyId']) !== undefined,
    isByItself: event.actor.kind === 'client' && event.actor.id === targetId(event, 'client'),
  };
}

/** Returns a text, cut if it is very long; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.length > textLengthMax ? `${value.slice(0, textLengthMax)}…` : value;
}

export function valuePart(text: string): AuditPart;
export function valuePart(text: string | undefined): AuditPart | undefined;
export function valuePart(text: string | undefined): AuditPart | undefined {
  return text === undefined ? undefined : { kind: 'value', text };
}

/** Shortens a fingerprint to the part that distinguishes it at a glance. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.length > 20 ? `${fingerprint.slice(0, 17)}…` : fingerprint;
}

function clientPart(event: AuditEvent, names: AuditNames): AuditPart {
  const clientId = targetId(event, 'client');
  if (clientId === undefined) return { kind: 'client', text: '?' };
  const name = names.clientName?.(clientId) ?? textOf(event.after?.['name']) ?? clientId;
  return { kind: 'client', text: name, title: clientId, href: clientPath(clientId) };
}

function keyPart(event: AuditEvent): AuditPart {
  const clientId = targetId(event, 'client');
  const fingerprint = textOf(event.after?.['fingerprint']) ?? textOf(event.before?.['fingerprint']);
  const whole = fingerprint ?? targetId(event, 'key') ?? '?';
  const href = clientId === undefined ? undefined : clientPath(clientId, '?tab=keys');
  return { kind: 'key', text: shortFingerprint(whole), title: whole, href };
}

function namedPart(kind: 'role' | 'account' | 'alert_rule', event: AuditEvent): AuditPart {
  const id = targetId(event, kind) ?? '?';
  const name = textOf(event.after?.['name']) ?? textOf(event.before?.['name']) ?? id;
  const href = pathsOfNamed[kind];
  return { kind, text: name, title: id, ...(href !== undefined && { href }) };
}

const pathsOfNamed = { role: '/settings/roles', account: undefined, alert_rule: alertRulesPath } as const;

function memberPart(event: AuditEvent, names: AuditNames): AuditPart {
  const { before = {}, after = {} } = event;
  const id = targetId(event, 'member') ?? event.targets[0]?.id ?? '?';
  const written = (name: string): string | undefined => textOf(after[name]) ?? textOf(before[name]);
  return {
    kind: 'member',
    text: written('name') ?? names.personName?.(id) ?? written('email') ?? id,
    title: written('email') ?? id,
  };
}

/** A change of the filters alone does not have its name. */
function savedViewPart({ targets, before, after }: AuditEvent): AuditPart {
  return valuePart(textOf(before?.['name']) ?? textOf(after?.['name']) ?? targets[0]?.id ?? '?');
}

/** Only the events of adding, changing and removing one have its URL. */
function webhookPart({ action, targets, before, after }: AuditEvent): AuditPart {
  const webhookId = targets.find(({ type }) => type === 'webhook')?.id;
  const url = textOf(after?.['url']) ?? textOf(before?.['url']);
  const isPresent = webhookId !== undefined && action !== 'webhook.removed';
  return {
    kind: 'webhook',
    text: url ?? webhookId ?? '?',
    title: webhookId,
    ...(isPresent && { href: webhookPath(webhookId) }),
  };
}

function bulkParts(after: Readonly<Record<string, unknown>>): readonly AuditPart[] {
  const list = [after['tags'], after['roles']].flat();
  const texts = list.flatMap((item: unknown) => textOf(item) ?? []);
  return [...texts.map((text) => valuePart(text)), ...entriesOf({ entries: [after['networkEntry']] })];
}

function targetId({ targets }: AuditEvent, type: AuditTarget['type']): string | undefined {
  return targets.find((target) => target.type === type)?.id;
}

/** Events hold the whitelist as a list of objects with the member `entry`. */
function entriesOf(content: Readonly<Record<string, unknown>>): readonly AuditPart[] {
  const list: unknown = content['entries'] ?? content['network'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const entry =
      typeof item === 'object' && item !== null && 'entry' in item ? textOf(item.entry) : undefined;
    return entry === undefined ? [] : [valuePart(entry)];
  });
}
