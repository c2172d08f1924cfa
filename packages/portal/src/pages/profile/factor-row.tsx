import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './profile.module.css';

interface FactorRowProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly badge?: ReactNode;
  readonly text: ReactNode;
  readonly isWarning?: boolean;
  readonly children?: ReactNode;
}

export function FactorRow(props: FactorRowProps): ReactElement {
  const { icon: Icon, name, badge, text, isWarning = false, children } = props;
  return (
    <div className={classes['row']}>
      <span className={classes['icon']} aria-hidden>
        <Icon size={18} strokeWidth={1.7} />
      </span>
      <div className={classes['words']}>
        <div className={classes['name']}>
          {name} {badge}
        </div>
        <div className={classes['text']} data-tone={isWarning ? 'warning' : undefined}>
          {text}
        </div>
      </div>
      {children && <div className={classes['actions']}>{children}</div>}
    </div>
  );
}
