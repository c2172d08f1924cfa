import type { ReactElement } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './copyable-text.module.css';

interface CopyableTextProps {
  readonly value: string;
  /** What it is, as it is said: `clientId`. */
  readonly label: string;
  /** Cuts a long value short, in one line; the whole of it is copied. */
  readonly isShort?: boolean;
}

/** An id or another text for machines, with a button that copies it. */
export function CopyableText({ value, label, isShort = false }: CopyableTextProps): ReactElement {
  return (
    <span className={classes['whole']}>
      <code className={isShort ? classes['short'] : classes['text']} title={isShort ? value : undefined}>
        {value}
      </code>
      <CopyButton value={value} label={label} />
    </span>
  );
}
