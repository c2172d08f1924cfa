import type { ReactElement, ReactNode } from 'react';
import classes from './snippets.module.css';

/** What to do, in order. */
export function Steps({ children }: { readonly children: ReactNode }): ReactElement {
  return <ol className={classes.steps}>{children}</ol>;
}

interface StepProps {
  readonly title: string;
  readonly text?: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function Step({ title, text, action, children }: StepProps): ReactElement {
  return (
    <li className={classes.step}>
      <div className={classes.head}>
        <strong>{title}</strong>
        {action}
      </div>
      {text !== undefined && <p className={classes.note}>{text}</p>}
      {children}
    </li>
  );
}
