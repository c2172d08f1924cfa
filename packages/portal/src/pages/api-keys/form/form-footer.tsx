import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { LinkButton } from '../../../components/app-link.tsx';
import { useMessages } from '../../../messages/messages.ts';
import classes from './form-page.module.css';

/** What the end of a form needs. */
export interface FormFooterProps {
  readonly action: string;
  readonly isBusy: boolean;
  /** Why it cannot be sent yet, in words. */
  readonly blocked: string | undefined;
  /** Where Cancel leads. */
  readonly cancelPath: string;
}

/** The buttons at the end of a form, which stay in sight. */
export function FormFooter({ action, isBusy, blocked, cancelPath }: FormFooterProps): ReactElement {
  const t = useMessages('apiKeys').form;
  return (
    <div className={classes.footer}>
      <div className={classes.note} role="status">
        {blocked}
      </div>
      <LinkButton variant="default" to={cancelPath}>
        {t.cancel}
      </LinkButton>
      <Button type="submit" loading={isBusy} disabled={blocked !== undefined}>
        {action}
      </Button>
    </div>
  );
}
