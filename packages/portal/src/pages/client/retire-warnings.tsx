import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import { isUsable } from '../rotate/rotation-state.ts';

const recentMs = 24 * 3_600_000;

/** What speaks against ending a key: no other one works, the other one has not been tried, or this one is in use. */
export function RetireWarnings({
  keyShown: key,
  keys,
}: {
  readonly keyShown: Key;
  readonly keys: readonly Key[];
}): ReactElement {
  const t = useMessages('client').retire;
  const other = keys.find((one) => one.keyId !== key.keyId && isUsable(one));
  const isRecent = key.lastUsedAt !== undefined && Date.now() - Date.parse(key.lastUsedAt) < recentMs;
  return (
    <>
      {other === undefined && (
        <Notice tone="danger" title={t.onlyTitle}>
          {t.only}
        </Notice>
      )}
      {other?.status === 'pending' && (
        <Notice tone="warning" title={t.unusedTitle}>
          {t.unused}
        </Notice>
      )}
      {isRecent && (
        <Notice tone="warning" title={t.recentTitle}>
          {t.lastRequest} <RelativeTime at={key.lastUsedAt ?? ''} />. {t.stops}
        </Notice>
      )}
    </>
  );
}
