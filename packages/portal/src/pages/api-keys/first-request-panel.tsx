import type { RequestEntry } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, Suspense, useState } from 'react';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useApiMutation, useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { Facts } from '../../components/facts.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { LoadingLines } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './first-request-panel.module.css';

/** Most first requests need no explanation. */
const RequestExplanationPanel = lazyPart(
  async () => (await import('../../explanation/request-explanation-panel.tsx')).RequestExplanationPanel,
);

export interface FirstRequestPanelProps {
  readonly clientId: string;
}

/** Waits for a client's first accepted request, and explains each rejection until then. */
export function FirstRequestPanel({ clientId }: FirstRequestPanelProps): ReactElement {
  const t = apiKeys.firstRequest;
  const isPermitted = usePermission('requests:read');
  return (
    <Section title={t.title}>
      {isPermitted ? <Watch clientId={clientId} /> : <Notice tone="neutral">{t.mayNot}</Notice>}
    </Section>
  );
}

function Watch({ clientId }: FirstRequestPanelProps): ReactElement {
  const t = apiKeys.firstRequest;
  const request = useFirstRequest(clientId);
  const isAccepted = request?.outcome === 'accepted';
  return (
    <div className={classes.panel}>
      <div role="status">
        {request === undefined && <Waiting />}
        {isAccepted && (
          <Notice tone="success" title={t.accepted}>
            {t.acceptedText}
          </Notice>
        )}
        {request !== undefined && !isAccepted && (
          <Notice
            tone={request.isObserved ? 'warning' : 'danger'}
            title={request.isObserved ? t.observed : t.refused}
          >
            {t.refusedText}
          </Notice>
        )}
      </div>
      {request !== undefined && <RequestFacts request={request} />}
      {request !== undefined && !isAccepted && (
        <>
          <AllowAddress request={request} />
          <Suspense fallback={<LoadingLines />}>
            <RequestExplanationPanel request={request} />
          </Suspense>
        </>
      )}
    </div>
  );
}

function Waiting(): ReactElement {
  const t = apiKeys.firstRequest;
  return (
    <div className={classes.waiting}>
      <span className={classes.pulse} aria-hidden />
      <div>
        <div className={classes.title}>{t.waiting}</div>
        <div className={classes.text}>{t.waitingText}</div>
      </div>
    </div>
  );
}

function RequestFacts({ request }: { readonly request: RequestEntry }): ReactElement {
  const t = apiKeys.firstRequest;
  const { method, url, sourceAddress, receivedAt, requestId } = request;
  return (
    <>
      <Facts
        items={[
          { label: t.request, value: <code>{`${method} ${url}`}</code> },
          { label: t.from, value: <code>{sourceAddress}</code> },
          { label: t.time, value: <RelativeTime at={receivedAt} /> },
        ]}
      />
      <AppLink to={`/logs/requests?request=${encodeURIComponent(requestId)}`}>{t.openLog}</AppLink>
    </>
  );
}

/** Offers to allow the address if it is the only reason why a proved request was rejected. */
function AllowAddress({ request }: { readonly request: RequestEntry }): ReactElement | null {
  const t = apiKeys.firstRequest;
  const mayChange = usePermission('clients:write');
  const addEntry = useApiMutation('addNetworkEntry');
  if (!mayChange || request.outcome !== 'network_not_allowed' || !request.isProved) return null;
  const { clientId, sourceAddress } = request;
  const allow = (): void =>
    addEntry.mutate(
      { path: { clientId }, body: { entry: sourceAddress } },
      { onSuccess: () => notify.success(t.allowed(sourceAddress)), onError: (error) => notify.error(error) },
    );
  return (
    <div>
      <Button size="xs" onClick={allow} loading={addEntry.isPending} disabled={addEntry.isSuccess}>
        {t.allow(sourceAddress)}
      </Button>
    </div>
  );
}

/** Live events come first; polling finds what they missed. */
const refetchMs = 5000;

/** Returns the first accepted request, or else the latest rejected one. */
function useFirstRequest(clientId: string): RequestEntry | undefined {
  const [told, setTold] = useState<RequestEntry>();
  const isDone = told?.outcome === 'accepted';
  const accepted = useApiQuery(
    'listRequests',
    { query: { clientId, outcome: 'accepted', limit: 1 } },
    isDone ? {} : { refetchIntervalMs: refetchMs },
  );
  const latest = useApiQuery(
    'listRequests',
    { query: { clientId, limit: 1 } },
    isDone ? {} : { refetchIntervalMs: refetchMs },
  );
  useLiveEvents({
    onRequests: (entries) => {
      const own = entries.filter((entry) => entry.clientId === clientId);
      // The accepted one ends the wait, whatever came after it.
      if (own.length > 0 && !isDone) setTold(own.find(({ outcome }) => outcome === 'accepted') ?? own.at(-1));
    },
  });
  const first = isDone ? told : accepted.data?.data[0];
  return first ?? newer(told, latest.data?.data[0]);
}

function newer(one: RequestEntry | undefined, other: RequestEntry | undefined): RequestEntry | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.receivedAt >= other.receivedAt ? one : other;
}
