import type { Client } from '@countersign/contract';
import { Fragment, type ReactElement } from 'react';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useNow } from '../../../components/use-now.ts';
import { useMessages } from '../../../messages/messages.ts';
import { countKeys, timeLeft } from './key-words.ts';
import classes from './clients-table.module.css';

/** The keys of a client in words: `1 active, 1 retiring in 2 d`. */
export function ClientKeys({ client }: { readonly client: Client }): ReactElement {
  const t = useMessages('apiKeys').table;
  const nowMs = useNow();
  const { active, pending, retiring, nextEndMs, rotation } = countKeys(client);
  const words = [
    active > 0 ? t.active(active) : '',
    pending > 0 ? t.pending(pending) : '',
    retiring > 0 && nextEndMs !== undefined ? t.retiring(retiring, timeLeft(nextEndMs, nowMs, t)) : '',
  ].filter(Boolean);
  if (words.length === 0)
    return client.status === 'revoked' ? (
      <span className={classes.dimmed}>{t.noKeys}</span>
    ) : (
      <StatusBadge tone="warning">{t.noKeys}</StatusBadge>
    );
  return (
    <div className={classes.stack}>
      <span className="tabular">
        {words.map((phrase, index) => (
          <Fragment key={phrase}>
            <span className={classes.whole}>{index < words.length - 1 ? `${phrase},` : phrase}</span>{' '}
          </Fragment>
        ))}
      </span>
      {rotation !== undefined && (
        <StatusBadge tone={rotation === 'overdue' ? 'danger' : 'warning'}>{t[rotation]}</StatusBadge>
      )}
    </div>
  );
}
