import type { Account } from '@countersign/contract';
import { Modal } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useEntityQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { AccountForm } from './account-form.tsx';

/** What is written: a new account, or a change of one. */
export type AccountToEdit =
  | { readonly kind: 'new' }
  | { readonly kind: 'change'; readonly accountId: Account['accountId'] };

/** Adds an account, or changes its name and rules; closed without one. */
export function AccountDialog({
  edited,
  onClose,
}: {
  readonly edited: AccountToEdit | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('operator');
  return (
    <Modal
      opened={edited !== undefined}
      onClose={onClose}
      title={edited?.kind === 'change' ? t.changeTitle : t.addTitle}
    >
      {edited?.kind === 'new' && <AccountForm account={undefined} entityTag={undefined} onClose={onClose} />}
      {edited?.kind === 'change' && <Changed accountId={edited.accountId} onClose={onClose} />}
    </Modal>
  );
}

function Changed({
  accountId,
  onClose,
}: {
  readonly accountId: string;
  readonly onClose: () => void;
}): ReactElement {
  const query = useEntityQuery('getAccount', { path: { accountId } });
  // The form goes on from what it began with: what others change meanwhile shows when it is saved.
  const [begun, setBegun] = useState(query.data);
  if (begun === undefined && query.data !== undefined) setBegun(query.data);
  return (
    <QueryState query={{ ...query, data: begun }}>
      {({ body, entityTag }) => <AccountForm account={body} entityTag={entityTag} onClose={onClose} />}
    </QueryState>
  );
}
