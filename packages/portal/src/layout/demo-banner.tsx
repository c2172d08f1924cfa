import { Button, CloseButton } from '@mantine/core';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiMutation, useApiQuery } from '../api/queries.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { notify } from '../components/notify.ts';
import { Permitted } from '../components/permitted.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { demoData as t } from '#messages/demo-data.ts';
import { keepOnDevice, readFromDevice } from '../session/device-storage.ts';
import { useSession } from '../session/session-context.ts';
import classes from './demo-banner.module.css';

/** The name under which a phone remembers that the banner is hidden. */
const hiddenKey = 'countersign-demo-banner';

/** States on every page that part of the account is demo data, and removes that part. Phones can hide it. */
export default function DemoBanner(): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [isHidden, setIsHidden] = useState(() => readFromDevice(hiddenKey) === 'hidden');
  const { refresh } = useSession();
  const removal = useApiMutation('removeDemoData');
  const remove = async (): Promise<void> => {
    await removal.mutateAsync({});
    notify.success(t.done);
    await refresh();
  };
  const hide = (): void => {
    keepOnDevice(hiddenKey, 'hidden');
    setIsHidden(true);
  };
  return (
    <aside className={classes['banner']} aria-label={t.banner} data-hidden={isHidden || undefined}>
      <FlaskConical size={18} aria-hidden className={classes['icon']} />
      <p className={classes['words']}>
        <strong>{t.banner}.</strong> {t.text}
      </p>
      <p className={classes['short']}>{t.bannerShort}</p>
      <Permitted permission="clients:write">
        {(isDisabled) => (
          <Button size="xs" variant="default" disabled={isDisabled} onClick={() => setIsOpen(true)}>
            {t.remove}
          </Button>
        )}
      </Permitted>
      <CloseButton className={classes['hide'] ?? ''} aria-label={t.dismiss} onClick={hide} />
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={t.title}
        confirmLabel={t.remove}
        isDangerous
        onConfirm={remove}
      >
        <Contents />
        <p>{t.stays}</p>
      </ConfirmDialog>
    </aside>
  );
}

function Contents(): ReactElement | null {
  const { data, isError } = useApiQuery('getDemoData');
  if (isError) return null;
  return data ? <p>{t.what(data.clients, data.requests)}</p> : <LoadingLines count={1} />;
}
