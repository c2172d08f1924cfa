import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { components as t } from '#messages/components.ts';
import { LinkButton } from './app-link.tsx';
import classes from './form-page.module.css';

interface FormFooterProps {
  readonly action: string;
  readonly isBusy: boolean;
  /** The reason why the form cannot be sent yet. */
  readonly blocked: string | undefined;
  readonly cancelPath: string;
}

/** The buttons of a form that fills a page. They stay in view. */
export function FormFooter({ action, isBusy, blocked, cancelPath }: FormFooterProps): ReactElement {
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
