import { Button } from '@mantine/core';
import { UserRoundCog } from 'lucide-react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation } from '../api/queries.ts';
import { notify } from '../components/notify.ts';
import { clockTime } from '../components/time-words.ts';
import { layout as t } from '#messages/layout.ts';
import { useSession } from '../session/session-context.ts';
import { useTimeForm } from '../session/time-form.ts';
import classes from './acting-banner.module.css';

/** Reminds an account manager on every page that they act for a customer, and lets them stop. */
export function ActingBanner(): ReactElement | null {
  const { account, refresh } = useSession();
  const [, navigate] = useLocation();
  useTimeForm();
  const endActing = useApiMutation('endActing');
  if (account?.acting === undefined) return null;
  const { reason, endsAt } = account.acting;
  const end = async (): Promise<void> => {
    try {
      await endActing.mutateAsync({});
      await refresh();
      navigate('/operator/accounts');
      notify.success(t.actingEnded);
    } catch (error) {
      notify.error(error);
    }
  };
  return (
    <aside className={classes['banner']} aria-label={t.actingBanner(account.name)}>
      <UserRoundCog size={18} aria-hidden className={classes['icon']} />
      <div className={classes['words']}>
        <strong>
          {t.actingBanner(account.name)} {t.actingUntil(clockTime(endsAt))}
        </strong>
        <span>
          {t.actingReason(reason)}. {t.actingNote}
        </span>
      </div>
      <Button size="xs" variant="white" color="dark" loading={endActing.isPending} onClick={() => void end()}>
        {t.endActing}
      </Button>
    </aside>
  );
}
