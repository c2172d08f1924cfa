import type { Key } from '@countersign/contract';
import { CircleCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { dayOf } from '../../components/time-words.ts';
import { useMessages } from '../../messages/messages.ts';
import { clientPath } from '../client/client-path.ts';
import { type Fact, Facts } from '../client/facts.tsx';
import classes from './rotate.module.css';

/** The end: which key is in use now, and what is left to do. */
export function Done({
  clientId,
  newKey,
  oldKey,
}: {
  readonly clientId: string;
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}): ReactElement {
  const t = useMessages('rotate').done;
  const ended = oldKey?.revokedAt ?? oldKey?.endsAt;
  const facts: readonly Fact[] = [
    { label: t.newKey, value: <CopyableText value={newKey.fingerprint} label={t.newKey} isShort /> },
    ...(oldKey === undefined
      ? []
      : [{ label: t.oldKey, value: <CopyableText value={oldKey.fingerprint} label={t.oldKey} isShort /> }]),
    ...(ended === undefined ? [] : [{ label: t.ended, value: <RelativeTime at={ended} /> }]),
    ...(newKey.rotationDueAt === undefined ? [] : [{ label: t.next, value: dayOf(newKey.rotationDueAt) }]),
  ];
  return (
    <section className={classes['done']} aria-label={t.title}>
      <span className={classes['doneMark']} aria-hidden>
        <CircleCheck size={26} />
      </span>
      <h2>{t.title}</h2>
      <p className={classes['quiet']}>
        {t.text} {oldKey !== undefined && t.todo}
      </p>
      <div className={classes['doneFacts']}>
        <Facts items={facts} />
      </div>
      <LinkButton to={clientPath(clientId, '?tab=keys')}>{t.toClient}</LinkButton>
    </section>
  );
}
