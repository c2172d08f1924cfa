import type { RequestEntry, RequestExplanation } from '@countersign/contract';
import { problems } from '@countersign/contract/problems';
import { Skeleton, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { isApiError } from '../api/api-error.ts';
import { useApiQuery } from '../api/queries.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Notice } from '../components/notice.tsx';
import { explanation as t } from '../messages/en/explanation.ts';
import { CheckList } from './check-list.tsx';
import { FindingList } from './finding-list.tsx';
import { orderedChecks } from './ordered-checks.ts';

/**
 * The checks of a request that was kept, and the mistakes that were found in it. Where none was found, it says what the
 * code of the refusal advises.
 */
export function RequestExplanationPanel({ request }: { readonly request: RequestEntry }): ReactElement {
  const isRefused = request.outcome !== 'accepted';
  const { data, error, isPending, refetch } = useApiQuery(
    'getRequestExplanation',
    { path: { requestId: request.requestId } },
    { enabled: isRefused },
  );
  const isMissing = isApiError(error, 'not_found');
  return (
    <Stack gap="md">
      {isRefused && isPending && <Skeleton height={120} radius="md" />}
      {data && <Found explanation={data} outcome={request.outcome} />}
      {isMissing && <Nothing outcome={request.outcome} />}
      {error && !isMissing && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <CheckList checks={orderedChecks(request, data)} />
    </Stack>
  );
}

function Found({
  explanation,
  outcome,
}: {
  readonly explanation: RequestExplanation;
  readonly outcome: string;
}): ReactElement {
  const { findings, isComplete, withheldFindings } = explanation;
  return (
    <>
      {findings.length > 0 ? <FindingList findings={findings} /> : <Advice outcome={outcome} />}
      {!isComplete && (
        <Text size="sm" c="dimmed">
          {t.incomplete}
        </Text>
      )}
      {withheldFindings > 0 && (
        <Text size="sm" c="dimmed">
          {t.withheld(withheldFindings)}
        </Text>
      )}
    </>
  );
}

function Nothing({ outcome }: { readonly outcome: string }): ReactElement {
  return (
    <>
      <Advice outcome={outcome} />
      <Text size="sm" c="dimmed">
        {t.none}
      </Text>
    </>
  );
}

/** What the code itself says to do. */
function Advice({ outcome }: { readonly outcome: string }): ReactElement | null {
  if (!Object.hasOwn(problems, outcome)) return null;
  return (
    <Notice tone="info" title={t.whatToDo}>
      {problems[outcome as keyof typeof problems].detail}
    </Notice>
  );
}
