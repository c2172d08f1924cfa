import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { useMessages } from '../../messages/messages.ts';
import { Countdown } from '../client/countdown.tsx';
import { KeyStatusBadge } from '../client/status-badges.tsx';
import classes from './rotate.module.css';

/** The two keys of a rotation side by side: which is which, and until when the old one works. */
export function KeyPair({
  newKey,
  oldKey,
}: {
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}): ReactElement {
  const { deploy: t, overlap } = useMessages('rotate');
  const after = newKey.overlapSeconds ?? 0;
  return (
    <div className={classes['pair']}>
      {oldKey && (
        <KeyBox name={t.oldKey} keyShown={oldKey}>
          {oldKey.endsAt !== undefined ? (
            <>
              {t.endsAt} <Countdown to={oldKey.endsAt} />
            </>
          ) : after === 0 ? (
            t.overlapNone
          ) : (
            t.overlapAfter(overlap.span(after))
          )}
        </KeyBox>
      )}
      <KeyBox name={t.newKey} keyShown={newKey} />
    </div>
  );
}

function KeyBox({
  name,
  keyShown: key,
  children,
}: {
  readonly name: string;
  readonly keyShown: Key;
  readonly children?: React.ReactNode;
}): ReactElement {
  const { fingerprint } = useMessages('client').keys;
  return (
    <div className={classes['box']}>
      <div className={classes['boxHead']}>
        <strong>{name}</strong>
        <KeyStatusBadge status={key.status} />
      </div>
      <CopyableText value={key.fingerprint} label={fingerprint} isShort />
      {children !== undefined && <p className={classes['quiet']}>{children}</p>}
    </div>
  );
}
