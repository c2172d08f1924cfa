import type { ReactElement } from 'react';
import { CopyButton } from '../copy-button.tsx';
import classes from './key-input.module.css';

/** A line for a terminal, with a button that copies it. */
export function Command({
  command,
  label,
}: {
  readonly command: string;
  readonly label: string;
}): ReactElement {
  return (
    <div className={classes.command}>
      <code>{command}</code>
      <CopyButton value={command} label={label} />
    </div>
  );
}
