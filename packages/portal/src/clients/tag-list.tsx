import type { ReactElement } from 'react';
import { client } from '#messages/client.ts';
import classes from './tag-list.module.css';

/** A client's tags. */
export function TagList({
  tags,
  shownMax = Infinity,
}: {
  readonly tags: readonly string[];
  /** The number of the others is shown instead of them. */
  readonly shownMax?: number;
}): ReactElement | null {
  if (tags.length === 0) return null;
  const shown = tags.slice(0, shownMax);
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
