import type { RefusedAddress } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Permitted } from '../components/permitted.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { useMessages } from '../messages/messages.ts';
import { clientPath } from './client-path.ts';
import classes from '../pages/client/client.module.css';
import { useClientChange } from './use-client-change.ts';

/** Addresses from which signed requests were refused, each with a button that allows it. */
export function RefusedAddressList({
  items,
  withClient = false,
}: {
  readonly items: readonly RefusedAddress[];
  /** Names the client of each, where they are of several. */
  readonly withClient?: boolean;
}): ReactElement {
  const t = useMessages('client').network;
  const [chosen, setChosen] = useState<RefusedAddress>();
  const change = useClientChange();
  const add = ({ clientId, sourceAddress: entry }: RefusedAddress): Promise<void> =>
    change(() => api.call('addNetworkEntry', { path: { clientId }, body: { entry } }), t.entryAdded(entry));
  return (
    <>
      <ul className={classes['rows']}>
        {items.map((item) => (
          <li key={`${item.clientId} ${item.sourceAddress}`} className={classes['row']}>
            <RefusedAddressWords item={item} withClient={withClient} />
            <Permitted permission="clients:write">
              {(isDisabled) => (
                <Button
                  size="xs"
                  variant="default"
                  disabled={isDisabled}
                  aria-label={t.addIt(item.sourceAddress)}
                  onClick={() => setChosen(item)}
                >
                  {t.add}
                </Button>
              )}
            </Permitted>
          </li>
        ))}
      </ul>
      {chosen && (
        <ConfirmDialog
          opened
          onClose={() => setChosen(undefined)}
          title={t.allowTitle(chosen.sourceAddress)}
          confirmLabel={t.allowConfirm}
          onConfirm={() => add(chosen)}
        >
          <p>{t.allowText(chosen.clientName)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function RefusedAddressWords({
  item,
  withClient,
}: {
  readonly item: RefusedAddress;
  readonly withClient: boolean;
}): ReactElement {
  const t = useMessages('client').network;
  return (
    <span className={classes['rowMain']}>
      <code className={classes['rowTitle']}>{item.sourceAddress}</code>
      <span className={classes['rowDetail']}>
        {withClient && (
          <>
            <Link href={clientPath(item.clientId, '?tab=network')} className={classes['rowLink']}>
              <bdi>{item.clientName}</bdi>
            </Link>
            {' · '}
          </>
        )}
        {t.refusedCount(item.count)} · <RelativeTime at={item.lastAt} />
      </span>
    </span>
  );
}
