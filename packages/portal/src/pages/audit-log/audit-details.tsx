import type { AuditEvent } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { useMessages } from '../../messages/messages.ts';
import { type ChangedMember, changedMembers } from './changed-members.ts';
import classes from './audit-log.module.css';

/** What was there before and after, member by member, and where the change came from. */
export function AuditDetails({ event }: { readonly event: AuditEvent }): ReactElement {
  const t = useMessages('auditLog');
  const words = useMessages('auditEvents');
  const members = changedMembers(event, { ...words.changes.members }, t);
  return (
    <div className={classes['details']}>
      {members.length > 0 ? <Members members={members} /> : <p className={classes['none']}>{t.noContent}</p>}
      <dl className={classes['facts']}>
        <Fact label={t.time}>{absoluteTime(event.happenedAt)}</Fact>
        {event.sourceAddress !== undefined && (
          <Fact label={t.sourceAddress}>
            <code>{event.sourceAddress}</code>
          </Fact>
        )}
        <Fact label={t.event}>
          <CopyableText value={event.eventId} label={t.event} />
        </Fact>
        {event.requestId !== undefined && (
          <Fact label={t.request}>
            <CopyableText value={event.requestId} label={t.request} />
          </Fact>
        )}
      </dl>
    </div>
  );
}

/** One column where there was nothing before, or is nothing after. */
function Members({ members }: { readonly members: readonly ChangedMember[] }): ReactElement {
  const t = useMessages('auditLog');
  const sides = (['before', 'after'] as const).filter((side) =>
    members.some((member) => member[side].length > 0),
  );
  return (
    <div className={classes['scroll']}>
      <table className={classes['members']}>
        <thead>
          <tr>
            <th scope="col">{t.member}</th>
            {sides.map((side) => (
              <th key={side} scope="col">
                {t[side]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.name}>
              <th scope="row">{member.label}</th>
              {sides.map((side) => (
                <td key={side}>
                  <Value lines={member[side]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What people wrote stands in an element of its own, so that no text can turn the direction of the rest. */
function Value({ lines }: { readonly lines: readonly string[] }): ReactElement {
  const t = useMessages('auditLog');
  if (lines.length === 0) return <span className={classes['nothing']}>{t.nothing}</span>;
  return (
    <>
      {lines.map((line) => (
        <div key={line}>
          <bdi>{line}</bdi>
        </div>
      ))}
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
