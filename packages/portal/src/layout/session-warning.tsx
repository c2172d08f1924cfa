import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { Notice } from '../components/notice.tsx';
import { layout as t } from '#messages/layout.ts';
import { holdsDraft } from '../session/drafts.ts';
import { useSessionEnding } from '../session/session-ends.ts';
import classes from './session-warning.module.css';

/** Warns shortly before the session ends. The focus stays where it is: any key or click keeps the session. */
export function SessionWarning(): ReactElement | null {
  const { isNear, isAvoidable, stay } = useSessionEnding();
  if (!isNear) return null;
  const action = isAvoidable && (
    // Its mouse button leaves the focus where the person was.
    <Button size="xs" onMouseDown={(event) => event.preventDefault()} onClick={stay}>
      {t.sessionEnding.stay}
    </Button>
  );
  return (
    <div className={classes['warning']}>
      <Notice tone="warning" role="alert" title={t.sessionEnding.title} action={action}>
        {isAvoidable ? t.sessionEnding.idle : t.sessionEnding.over} {holdsDraft() && t.sessionEnding.kept}
      </Notice>
    </div>
  );
}
