import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './notice.module.css';

/** The meaning of a color. The text always says it too. */
export type Tone = 'success' | 'warning' | 'danger' | 'neutral' | 'info';

const icons: Readonly<Record<Tone, LucideIcon>> = {
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
  neutral: Info,
  info: Info,
};

interface NoticeProps {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons below the text. */
  readonly action?: ReactNode;
  /** Makes screen readers announce it: at once (`alert`) or when idle (`status`). */
  readonly role?: 'alert' | 'status';
}

/** A boxed message. */
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

interface FieldHintProps {
  readonly tone?: Tone;
  /** For `aria-describedby` of the field. */
  readonly id?: string;
  /** Set if it changes while the person types: screen readers announce it. */
  readonly isLive?: boolean;
  readonly children: ReactNode;
}

/** A line below a field: advice, a mistake, or what was recognized. */
export function FieldHint({ tone = 'neutral', id, isLive = false, children }: FieldHintProps): ReactElement {
  const Icon = icons[tone];
  return (
    <div id={id} className={classes['hint']} data-tone={tone} role={isLive ? 'status' : undefined}>
      <Icon size={14} aria-hidden className={classes['hintIcon']} />
      <span className={classes['hintText']}>{children}</span>
    </div>
  );
}

interface StatusBadgeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
}

export function StatusBadge({ tone, children }: StatusBadgeProps): ReactElement {
  return (
    <span className={classes['badge']} data-tone={tone}>
      <span className={classes['mark']} aria-hidden />
      <span className={classes['badgeText']}>{children}</span>
    </span>
  );
}
