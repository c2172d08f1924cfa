import type { Key, RequestEntry } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useAccountId } from '../../api/current-account.ts';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { rotate } from '#messages/rotate.ts';
import { outcomeWords } from '../../requests/failure-list.tsx';
import classes from './rotate.module.css';

const t = rotate.waiting;

interface FirstUseProps {
  readonly clientId: string;
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}

/** Waits for the first request signed with the new key, and reports others. */
export function FirstUse({ clientId, newKey, oldKey }: FirstUseProps): ReactElement {
  const latest = useLatestRequest(clientId, newKey);
  return (
    <section className={classes['waiting']} aria-label={t.label}>
      <span className={classes['pulse']} aria-hidden>
        <KeyRound size={18} />
      </span>
      <div className={classes['waitingWords']}>
        <strong>{t.title}</strong>
        <code className={classes['quiet']}>{newKey.fingerprint}</code>
        <div className={classes['quiet']} role="status">
          <Latest latest={latest} oldKey={oldKey} />
        </div>
      </div>
    </section>
  );
}

interface LatestProps {
  readonly latest: RequestEntry | undefined;
  readonly oldKey: Key | undefined;
}

function Latest({ latest, oldKey }: LatestProps): ReactElement {
  const isOld = latest?.outcome === 'accepted' && latest.keyFingerprint === oldKey?.fingerprint;
  if (latest === undefined) return <>{t.none}</>;
  if (isOld) {
    return (
      <>
        {t.oldStill} <RelativeTime at={latest.receivedAt} />.
      </>
    );
  }
  if (latest.outcome === 'accepted') return <>{t.text}</>;
  return (
    <>
      {latest.isObserved ? t.observed : t.refused} {outcomeWords(latest.outcome)}.{' '}
      <AppLink
        to={`/logs/requests?request=${encodeURIComponent(latest.requestId)}`}
        inherit
        underline="always"
      >
        {t.why}
      </AppLink>
    </>
  );
}

/** Returns the latest request since the page opened. The first one signed with the new key reloads the keys. */
function useLatestRequest(clientId: string, newKey: Key): RequestEntry | undefined {
  const [latest, setLatest] = useState<RequestEntry>();
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  useLiveEvents({
    onRequests: (entries) => {
      const own = entries.filter((entry) => entry.clientId === clientId);
      if (own.length === 0) return;
      setLatest(own.at(-1));
      if (own.some((one) => one.outcome === 'accepted' && one.keyFingerprint === newKey.fingerprint))
        void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    },
  });
  return latest;
}
