import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** What this place is for, and how it is filled. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** What stands where nothing is yet: it teaches what would be here. */
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
