import type { Key } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { ClientView } from '../client/client-view.ts';
import { Countdown } from '../client/countdown.tsx';
import { ExtendKeyDialog } from '../client/extend-key-dialog.tsx';
import { RetireKeyDialog } from '../client/retire-key-dialog.tsx';
import { LiveShare } from './live-share.tsx';
import { OldKeyUse } from './old-key-use.tsx';
import classes from './rotate.module.css';

interface SwitchOverProps {
  readonly view: ClientView;
  readonly newKey: Key;
  readonly oldKey: Key;
}

/** The fourth step: the traffic goes over to the new key, until the old one ends by itself or is retired. */
export function SwitchOver({ view, newKey, oldKey }: SwitchOverProps): ReactElement {
  const t = useMessages('rotate').switch;
  const [dialog, setDialog] = useState<'retire' | 'extend'>();
  const props = { keyShown: oldKey, view, onClose: () => setDialog(undefined) };
  return (
    <div className={classes['stack']}>
      <Notice tone="success" title={t.title}>
        {newKey.firstUsedAt !== undefined && (
          <>
            {t.firstUse}: <RelativeTime at={newKey.firstUsedAt} />.{' '}
          </>
        )}
        {t.text}
      </Notice>
      <Section title={t.share}>
        <LiveShare newKey={newKey} oldKey={oldKey} />
      </Section>
      <Section title={t.oldKey}>
        <div className={classes['stack']}>
          <End oldKey={oldKey} />
          <OldKeyUse newKey={newKey} oldKey={oldKey} />
          <Group gap="sm">
            <Button onClick={() => setDialog('retire')}>{t.retireNow}</Button>
            {oldKey.endsAt !== undefined && (
              <Button variant="default" onClick={() => setDialog('extend')}>
                {t.extend}
              </Button>
            )}
          </Group>
          {oldKey.endsAt !== undefined && <p className={classes['quiet']}>{t.leave}</p>}
        </div>
      </Section>
      {dialog === 'retire' && <RetireKeyDialog {...props} initialChoice={{ kind: 'now' }} />}
      {dialog === 'extend' && <ExtendKeyDialog {...props} />}
    </div>
  );
}

function End({ oldKey }: { readonly oldKey: Key }): ReactElement {
  const t = useMessages('rotate').switch;
  if (oldKey.endsAt === undefined) return <p className={classes['quiet']}>{t.noEnd}</p>;
  return (
    <div className={classes['end']}>
      <span className={classes['endLabel']}>{t.endsIn}</span>
      <span className={classes['endTime']}>
        <Countdown to={oldKey.endsAt} />
      </span>
    </div>
  );
}
