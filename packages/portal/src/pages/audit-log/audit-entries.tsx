import type { AuditEvent } from '@countersign/contract';
import { Collapse, UnstyledButton } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, useId, useState } from 'react';
import type { AuditNames } from '../../audit/audit-facts.ts';
import { AuditIcon, AuditSentence } from '../../audit/audit-timeline.tsx';
import { ChangeTable } from '../../audit/change-table.tsx';
import { changedMembers } from '../../audit/changed-members.ts';
import { CopyableText } from '../../components/copyable-text.tsx';
import { DescribedFact } from '../../components/facts.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { auditEvents as words } from '#messages/audit-events.ts';
import { auditLog as t } from '#messages/audit-log.ts';
import classes from './audit-log.module.css';

interface AuditEntriesProps {
  readonly events: readonly AuditEvent[];
  readonly names: AuditNames;
}

/** Audit events as sentences that expand to details. */
export function AuditEntries({ events, names }: AuditEntriesProps): ReactElement {
  return (
    <ol className={classes['entries']} aria-label={t.list}>
      {events.map((event) => (
        <Entry key={event.eventId} event={event} names={names} />
      ))}
    </ol>
  );
}

function Entry({ event, names }: { readonly event: AuditEvent; readonly names: AuditNames }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [sentenceId, detailsId] = [useId(), useId()];
  return (
    <li className={classes['entry']} data-open={isOpen || undefined}>
      <div className={classes['line']}>
        <AuditIcon action={event.action} />
        <div className={classes['sentence']} id={sentenceId}>
          <AuditSentence event={event} names={names} />
        </div>
        <span className={classes['when']}>
          <RelativeTime at={event.happenedAt} />
        </span>
        <UnstyledButton
          className={classes['toggle']}
          aria-expanded={isOpen}
          aria-controls={detailsId}
          aria-describedby={sentenceId}
          onClick={() => setIsOpen(!isOpen)}
        >
          <ChevronRight size={15} aria-hidden className={classes['chevron']} />
          <span className={classes['toggle-label']}>{t.details}</span>
        </UnstyledButton>
      </div>
      <Collapse expanded={isOpen} id={detailsId}>
        {isOpen && <AuditDetails event={event} />}
      </Collapse>
    </li>
  );
}

/** The values before and after a change, and its origin. */
function AuditDetails({ event }: { readonly event: AuditEvent }): ReactElement {
  const members = changedMembers(event, { ...words.changes.members }, t);
  return (
    <div className={classes['details']}>
      {members.length > 0 ? (
        <ChangeTable members={members} />
      ) : (
        <p className={classes['none']}>{t.noContent}</p>
      )}
      <dl className={classes['facts']}>
        <DescribedFact label={t.time}>{absoluteTime(event.happenedAt)}</DescribedFact>
        {event.sourceAddress && (
          <DescribedFact label={t.sourceAddress}>
            <code>{event.sourceAddress}</code>
          </DescribedFact>
        )}
        <DescribedFact label={t.event}>
          <CopyableText value={event.eventId} label={t.event} />
        </DescribedFact>
        {event.requestId !== undefined && (
          <DescribedFact label={t.request}>
            <CopyableText value={event.requestId} label={t.request} />
          </DescribedFact>
        )}
      </dl>
    </div>
  );
}
