import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import { requestsPath } from '../requests/request-filters.ts';

/** Whether something still signs with the old key: whoever ends it should know. */
export function OldKeyUse({ newKey, oldKey }: { readonly newKey: Key; readonly oldKey: Key }): ReactElement {
  const t = useMessages('rotate').switch;
  const { lastUsedAt } = oldKey;
  const isUsed =
    lastUsedAt !== undefined &&
    newKey.firstUsedAt !== undefined &&
    Date.parse(lastUsedAt) > Date.parse(newKey.firstUsedAt);
  if (!isUsed) {
    return (
      <Notice tone="neutral" title={t.quiet}>
        {t.quietText}
      </Notice>
    );
  }
  return (
    <Notice
      tone="warning"
      title={t.stillUsed}
      action={
        <AppLink to={requestsPath({ clientId: oldKey.clientId })} size="sm">
          {t.seeRequests}
        </AppLink>
      }
    >
      {t.stillUsedText} <RelativeTime at={lastUsedAt} />. {t.stillUsedHint}
    </Notice>
  );
}
