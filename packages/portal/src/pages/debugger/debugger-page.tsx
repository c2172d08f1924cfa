import type { RequestEntry } from '@countersign/contract';
import { type ReactElement, Suspense } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { useApiQuery } from '../../api/queries.ts';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { OutcomeBadge } from '../../explanation/outcome-badge.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { useRequestsKept } from '../../session/session-context.ts';
import classes from './debugger.module.css';
import { Debugger } from './debugger.tsx';

const RequestExplanationPanel = lazyPart(
  async () => (await import('../../explanation/request-explanation-panel.tsx')).RequestExplanationPanel,
);

/** Logs > Signature debugger: explains a pasted request, or one from the log. */
export default function DebuggerPage(): ReactElement {
  const [query] = useParameters();
  const requestId = query.get('request') ?? undefined;
  const clientId = query.get('client') ?? undefined;
  return (
    <Page title={t.title} description={t.description}>
      {requestId === undefined ? (
        <Debugger key={clientId ?? ''} clientId={clientId} at={undefined} />
      ) : (
        <KeptRequest key={requestId} requestId={requestId} />
      )}
    </Page>
  );
}

/** A rejected request from the log, with the debugger set to its client and time. */
function KeptRequest({ requestId }: { readonly requestId: string }): ReactElement {
  const requestsKept = useRequestsKept();
  const query = useApiQuery('getRequest', { path: { requestId } });
  if (isApiError(query.error, 'not_found')) {
    return (
      <>
        <Notice tone="warning">{t.keptGone(requestsKept)}</Notice>
        <Debugger clientId={undefined} at={undefined} />
      </>
    );
  }
  return (
    <QueryState query={query}>
      {(entry) => (
        <>
          <Kept entry={entry} />
          <Debugger clientId={entry.clientId} at={entry.receivedAt} />
        </>
      )}
    </QueryState>
  );
}

function Kept({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const { method, url, outcome, isObserved, receivedAt } = entry;
  return (
    <Section title={t.kept} description={t.keptText}>
      <div className={classes['kept']}>
        <OutcomeBadge outcome={outcome} isObserved={isObserved} />
        <code className={classes['target']}>
          {method} <bdi>{url}</bdi>
        </code>
        <span className={classes['when']}>
          <RelativeTime at={receivedAt} />
        </span>
      </div>
      <Suspense fallback={<LoadingLines />}>
        <RequestExplanationPanel request={entry} />
      </Suspense>
    </Section>
  );
}
