import type { ReactElement } from 'react';
import { client } from '../messages/en/client.ts';
import classes from './tag-list.module.css';

const shownMax = 4;

/** A client's tags. Shows a few, and the number of the others. */
export function TagList({
  tags,
  isComplete = false,
}: {
  readonly tags: readonly string[];
  readonly isComplete?: boolean;
}): ReactElement | null {
  if (tags.length === 0) return null;
  const shown = isComplete ? tags : tags.slice(0, shownMax);
  const hidden = tags.length - shown.length;
  return (
    <ul className={classes['tags']} aria-label={client.tags.label}>
      {shown.map((tag) => (
        <li key={tag} className={classes['tag']}>
          {tag}
        </li>
      ))}
      {hidden > 0 && (
        <li className={classes['more']} title={tags.join(', ')}>
          {client.tags.more(hidden)}
        </li>
      )}
    </ul>
  );
}
