import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';

/** In the demonstration: a way in with one click. */
export function DemonstrationNotice(): ReactElement | null {
  const t = useMessages('signIn');
  const { features, refresh } = useSession();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { demonstration } = features;
  if (demonstration === undefined) return null;
  const open = async (): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await auth.signIn(demonstration);
      await refresh();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <Notice
        tone="info"
        title={t.demonstrationTitle}
        action={
          <Button size="xs" loading={isBusy} onClick={() => void open()}>
            {t.demonstrationAction}
          </Button>
        }
      >
        {t.demonstrationText}
      </Notice>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
