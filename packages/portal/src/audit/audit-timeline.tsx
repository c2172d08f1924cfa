import type { AuditAction, AuditEvent } from '@countersign/contract';
import { Anchor } from '@mantine/core';
import {
  Bell,
  Bookmark,
  Building2,
  Clock,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Network,
  PlugZap,
  Shield,
  ShieldCheck,
  ShieldX,
  UserCog,
  UserRound,
  Webhook,
} from 'lucide-react';
import { Fragment, type ReactElement } from 'react';
import { Link } from 'wouter';
import { RelativeTime } from '../components/relative-time.tsx';
import { shortTime } from '../components/time-words.ts';
import type { AuditPart } from '../messages/audit-words.ts';
import { auditEvents } from '#messages/audit-events.ts';
import type { AuditNames } from './audit-facts.ts';
import { auditSentence } from './audit-sentence.ts';
import classes from './audit.module.css';

/** Lists audit events as sentences, newest first. */
export function AuditTimeline({
  events,
  names,
  label,
}: {
  readonly events: readonly AuditEvent[];
  readonly names?: AuditNames | undefined;
  readonly label: string;
}): ReactElement {
  return (
    <ol className={classes.timeline} aria-label={label}>
      {events.map((event) => (
        <li key={event.eventId} className={classes.event}>
          <AuditIcon action={event.action} />
          <div className={classes.what}>
            <AuditSentence event={event} names={names} />
            <div className={classes.when}>
              <RelativeTime at={event.happenedAt} />
              {event.sourceAddress && <span>· {auditEvents.from(event.sourceAddress)}</span>}
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Shows an audit event in words, with links to the resources that still have a page. */
export function AuditSentence({
  event,
  names,
}: {
  readonly event: AuditEvent;
  readonly names?: AuditNames | undefined;
}): ReactElement {
  return (
    <span className={classes.sentence}>
      {auditSentence(event, names).map((part, index) => (
        // Pieces never change their order.
        <Fragment key={index}>{typeof part === 'string' ? part : <Part part={part} />}</Fragment>
      ))}
    </span>
  );
}

/** Isolates user-written text, so that it cannot change the direction of the rest. */
function Part({ part: { kind, text, href, title } }: { readonly part: AuditPart }): ReactElement {
  if (kind === 'time') return <time dateTime={text}>{shortTime(text)}</time>;
  const className = classes[kind === 'key' ? 'code' : kind === 'value' ? 'value' : 'name'];
  if (href === undefined) {
    return (
      <bdi className={className} title={title}>
        {text}
      </bdi>
    );
  }
  return (
    <Anchor component={Link} href={href} className={className} title={title} inherit>
      <bdi>{text}</bdi>
    </Anchor>
  );
}

const iconOfResource: Readonly<Record<string, LucideIcon>> = {
  client: PlugZap,
  network: Network,
  key: KeyRound,
  role: Shield,
  account: Building2,
  member: UserRound,
  invitation: UserRound,
  policy: ShieldCheck,
  pending_change: ListChecks,
  acting: UserCog,
  webhook: Webhook,
  alert_rule: Bell,
  saved_view: Bookmark,
};
const iconOfAction: Readonly<Partial<Record<AuditAction, LucideIcon>>> = {
  'client.revoked': ShieldX,
  'key.revoked': ShieldX,
  'key.retiring': Clock,
  'key.expired': Clock,
};
const dangers: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'client.revoked',
  'client.disabled',
  'key.revoked',
]);

/** Shows the kind of resource that an event is about. Decorative: the sentence says it too. */
export function AuditIcon({ action }: { readonly action: AuditAction }): ReactElement {
  const Icon = iconOfAction[action] ?? iconOfResource[action.split('.', 1)[0] ?? ''] ?? Shield;
  return (
    <span className={classes.icon} data-tone={dangers.has(action) ? 'danger' : 'neutral'} aria-hidden="true">
      <Icon size={14} />
    </span>
  );
}
