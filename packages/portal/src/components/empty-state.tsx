import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** Says what belongs here and how to add it. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** The placeholder of an empty list or page. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps): ReactElement {
  return (
    <div className={classes['empty']}>
      {Icon && (
        <span className={classes['icon']} aria-hidden>
          <Icon size={22} strokeWidth={1.6} />
        </span>
      )}
      <p className={classes['title']}>{title}</p>
      <div className={classes['text']}>{children}</div>
      {action && <div className={classes['action']}>{action}</div>}
    </div>
  );
}
