import { Button } from '@mantine/core';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiMutation, useApiQuery } from '../api/queries.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { notify } from '../components/notify.ts';
import { Permitted } from '../components/permitted.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { demoData as t } from '../messages/en/demo-data.ts';
import { useSession } from '../session/session-context.ts';
import classes from './demo-banner.module.css';

/** States on every page that part of the account is demo data, and removes that part. */
export default function DemoBanner(): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const { refresh } = useSession();
  const removal = useApiMutation('removeDemoData');
  const remove = async (): Promise<void> => {
    await removal.mutateAsync({});
    notify.success(t.done);
    await refresh();
  };
  return (
    <aside className={classes['banner']} aria-label={t.banner}>
      <FlaskConical size={18} aria-hidden className={classes['icon']} />
      <p className={classes['words']}>
        <strong>{t.banner}.</strong> {t.text}
      </p>
      <Permitted permission="clients:write">
        {(isDisabled) => (
          <Button size="xs" variant="default" disabled={isDisabled} onClick={() => setIsOpen(true)}>
            {t.remove}
          </Button>
        )}
      </Permitted>
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
