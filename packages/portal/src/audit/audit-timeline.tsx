import type { AuditEvent } from '@countersign/contract';
import type { ReactElement } from 'react';
import { RelativeTime } from '../components/relative-time.tsx';
import { auditEvents as words } from '../messages/en/audit-events.ts';
import type { AuditNames } from './audit-facts.ts';
import { AuditIcon } from './audit-icon.tsx';
import { AuditSentence } from './audit-sentence-view.tsx';
import classes from './audit.module.css';

/** Audit events as a list of sentences, the newest first. */
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
              {event.sourceAddress !== undefined && <span>· {words.from(event.sourceAddress)}</span>}
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}
