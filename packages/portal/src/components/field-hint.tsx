import { CircleAlert, CircleCheck, Info, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './field-hint.module.css';
import type { Tone } from './status-badge.tsx';

interface FieldHintProps {
  readonly tone?: Tone;
  /** For `aria-describedby` of the field. */
  readonly id?: string;
  /** Whether it comes and goes while the person types, and is to be said. */
  readonly isLive?: boolean;
  readonly children: ReactNode;
}

const icons: Readonly<Record<Tone, LucideIcon>> = {
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
  neutral: Info,
  info: Info,
};

/** A line below a field: advice, or what was recognised in it. */
export function FieldHint({ tone = 'neutral', id, isLive = false, children }: FieldHintProps): ReactElement {
  const Icon = icons[tone];
  return (
    <div id={id} className={classes['hint']} data-tone={tone} role={isLive ? 'status' : undefined}>
      <Icon size={14} aria-hidden className={classes['icon']} />
      <span className={classes['text']}>{children}</span>
    </div>
  );
}
