import { CircleAlert, CircleCheck, Info, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './notice.module.css';
import type { Tone } from './status-badge.tsx';

interface NoticeProps {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons below the text. */
  readonly action?: ReactNode;
  /** `alert` is said at once, `status` when there is time; without it, it is read like any text. */
  readonly role?: 'alert' | 'status';
}

const icons: Readonly<Record<Tone, LucideIcon>> = {
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
  neutral: Info,
  info: Info,
};

/** Something that the reader should know here, in a box of its tone. */
export function Notice({ tone, title, children, action, role }: NoticeProps): ReactElement {
  const Icon = icons[tone];
  return (
    <div className={classes['notice']} data-tone={tone} role={role}>
      <Icon size={18} aria-hidden className={classes['icon']} />
      <div className={classes['words']}>
        {title && <div className={classes['title']}>{title}</div>}
        {children && <div className={classes['text']}>{children}</div>}
        {action && <div className={classes['action']}>{action}</div>}
      </div>
    </div>
  );
}
