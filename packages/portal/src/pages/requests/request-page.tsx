import { type ReactElement, Suspense } from 'react';
import { useParams } from 'wouter';
import { LoadingLines } from '../../components/query-state.tsx';
import { Page } from '../../components/page.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { requests as t } from '#messages/requests.ts';
import { readRequestFilters, requestsPath } from '../../requests/request-filters.ts';
import { lazyPart } from '../../session/lazy-part.ts';

const RequestDetail = lazyPart(async () => (await import('./request-detail.tsx')).RequestDetail);

/** Logs > Requests > a request. The address also has the filters of the list that leads here. */
export default function RequestPage(): ReactElement {
  const { requestId = '' } = useParams();
  const [query] = useParameters();
  return <RequestDetailPage requestId={requestId} backTo={requestsPath(readRequestFilters(query))} />;
}

interface RequestDetailPageProps {
  readonly requestId: string;
  readonly backTo: string;
}

/** A request as a page of its own. */
export function RequestDetailPage({ requestId, backTo }: RequestDetailPageProps): ReactElement {
  return (
    <Page title={t.detail} back={{ to: backTo, label: t.back }}>
      <Suspense fallback={<LoadingLines />}>
        <RequestDetail requestId={requestId} />
      </Suspense>
    </Page>
  );
}
