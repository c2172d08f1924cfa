import {
  type WebhookEventType,
  webhookEventTypeNames,
  webhookEventTypes,
  webhookEventTypesIn,
} from '@countersign/contract';
import { webhooks as t } from '#messages/webhooks.ts';

export type EventGroupName = keyof typeof t.groups;

/** A type of events. Unknown ones come from a newer service. */
export interface EventType {
  readonly name: string;
  readonly summary: string;
  /** Whoever wants such events must hold it; undefined for an unknown type. */
  readonly permission: string | undefined;
}

const groupOfFamily: Readonly<Record<string, EventGroupName>> = {
  client: 'clients',
  clients: 'clients',
  network: 'clients',
  key: 'keys',
  role: 'roles',
  member: 'team',
  invitation: 'team',
  alert: 'alerts',
  alert_rule: 'alerts',
  webhook: 'webhooks',
  stream: 'streams',
};

/** Only a tested webhook gets it, whatever its types are. */
const testType: WebhookEventType = 'webhook.test';

/** Lists an account's types by what they are about, with all that a webhook has, also those that this portal does not know. */
export function eventGroups(
  chosen: readonly string[],
  account: { readonly isOperator: boolean },
): readonly { readonly group: EventGroupName; readonly types: readonly EventType[] }[] {
  const known: readonly string[] = webhookEventTypeNames;
  const own: readonly string[] = webhookEventTypesIn(account).filter((name) => name !== testType);
  const names = [
    ...known.filter((name) => own.includes(name) || chosen.includes(name)),
    ...chosen.filter((name) => !known.includes(name)),
  ];
  const byGroup = Map.groupBy(names, (name) => groupOfFamily[name.split('.', 1)[0] ?? ''] ?? 'account');
  return (Object.keys(t.groups) as EventGroupName[]).flatMap((group) => {
    const types = byGroup.get(group)?.map((name) => typeOf(name)) ?? [];
    return types.length === 0 ? [] : [{ group, types }];
  });
}

function typeOf(name: string): EventType {
  if (!Object.hasOwn(webhookEventTypes, name)) return { name, summary: '', permission: undefined };
  const { summary, permission } = webhookEventTypes[name as WebhookEventType];
  return { name, summary, permission };
}
