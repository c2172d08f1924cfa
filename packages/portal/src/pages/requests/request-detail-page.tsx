import type { ReactElement } from 'react';
import { BackLink } from '../../components/back-link.tsx';
import { Page } from '../../components/page.tsx';
import { useMessages } from '../../messages/messages.ts';
import { RequestDetail } from './request-detail.tsx';

/** The detail of a request as a page, where there is no room for it beside the list. */
export function RequestDetailPage({
  requestId,
  backTo,
}: {
  readonly requestId: string;
  readonly backTo: string;
}): ReactElement {
  const t = useMessages('requests');
  return (
    <Page title={t.detail} before={<BackLink to={backTo}>{t.back}</BackLink>}>
      <RequestDetail requestId={requestId} />
    </Page>
  );
}
