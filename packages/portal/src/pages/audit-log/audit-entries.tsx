import type { AuditEvent } from '@countersign/contract';
import { Collapse, UnstyledButton } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, useId, useState } from 'react';
import type { AuditNames } from '../../audit/audit-facts.ts';
import { AuditIcon } from '../../audit/audit-icon.tsx';
import { AuditSentence } from '../../audit/audit-sentence-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import { AuditDetails } from './audit-details.tsx';
import classes from './audit-log.module.css';

/** Audit events as sentences, each with what was there before and after. */
export function AuditEntries({
  events,
  names,
}: {
  readonly events: readonly AuditEvent[];
  readonly names: AuditNames;
}): ReactElement {
  const t = useMessages('auditLog');
  return (
    <ol className={classes['entries']} aria-label={t.list}>
      {events.map((event) => (
        <Entry key={event.eventId} event={event} names={names} />
      ))}
    </ol>
  );
}

function Entry({ event, names }: { readonly event: AuditEvent; readonly names: AuditNames }): ReactElement {
  const t = useMessages('auditLog');
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
