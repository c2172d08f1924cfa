import type { Key, RequestEntry } from '@countersign/contract';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { useMessages } from '../../messages/messages.ts';
import classes from './rotate.module.css';

type Kind = 'new' | 'old' | 'refused';

const shownMax = 40;
const lookAgainMs = 5000;

/** The latest requests as small marks, the newest on the right: one sees the traffic go over. */
export function RequestStrip({ newKey }: { readonly newKey: Key }): ReactElement | null {
  const t = useMessages('rotate').switch;
  const { data } = useApiQuery(
    'listRequests',
    { query: { clientId: newKey.clientId, limit: shownMax } },
    { refetchIntervalMs: lookAgainMs },
  );
  if (data === undefined || data.data.length === 0) return null;
  const kinds = data.data.toReversed().map((entry) => ({ id: entry.requestId, kind: kindOf(entry, newKey) }));
  const count = (of: Kind): number => kinds.filter(({ kind }) => kind === of).length;
  return (
    <figure className={classes['strip']}>
      <figcaption className={classes['quiet']}>{t.strip}</figcaption>
      <div
        className={classes['marks']}
        role="img"
        aria-label={t.stripWords(count('new'), count('old'), count('refused'))}
      >
        {kinds.map(({ id, kind }) => (
          <span key={id} data-kind={kind} />
        ))}
      </div>
      <div className={classes['legend']} aria-hidden>
        <span data-kind="new">{t.stripNew}</span>
        <span data-kind="old">{t.stripOld}</span>
        <span data-kind="refused">{t.stripRefused}</span>
      </div>
    </figure>
  );
}

function kindOf({ outcome, keyFingerprint }: RequestEntry, newKey: Key): Kind {
  if (outcome !== 'accepted') return 'refused';
  return keyFingerprint === newKey.fingerprint ? 'new' : 'old';
}
