import { problemDetail } from '#messages/problem-details.ts';
import { problemTitle } from '#messages/problem-titles.ts';
import type { ReactElement } from 'react';
import { type UnattributedRequest, unattributedOf } from '../../api/api-error.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { ErrorCode } from '../../documents/error-code.tsx';
import { requests as t } from '#messages/requests.ts';
import { useRequestsKept } from '../../session/session-context.ts';

/**
 * Shown instead of a request that the account does not have: it may have named no client, as first requests
 * often do.
 */
export function MissingRequest({ error }: { readonly error: unknown }): ReactElement {
  const requestsKept = useRequestsKept();
  const unattributed = unattributedOf(error);
  return unattributed === undefined ? (
    <EmptyState title={t.gone}>{t.goneText(requestsKept)}</EmptyState>
  ) : (
    <Unattributed request={unattributed} />
  );
}

function Unattributed({ request }: { readonly request: UnattributedRequest }): ReactElement {
  const { outcome, receivedAt } = request;
  const title = problemTitle(outcome);
  return (
    <Notice tone="warning" title={t.unattributed}>
      <p>{t.unattributedText(absoluteTime(receivedAt))}</p>
      <p>
        {t.toldCaller}: <ErrorCode code={outcome} />
        {title !== undefined && ` · ${title}. ${problemDetail(outcome)}`}
      </p>
    </Notice>
  );
}
