import type { RequestEntry } from '@countersign/contract';
import { problemDetail } from '#messages/problem-details.ts';
import { Skeleton, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { isApiError } from '../api/api-error.ts';
import { useApiQuery } from '../api/queries.ts';
import { CopyableText } from '../components/copyable-text.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Notice } from '../components/notice.tsx';
import { explanation as t } from '#messages/explanation.ts';
import { isRefusal } from './refusal.ts';
import { CheckList } from './check-list.tsx';
import { FindingList } from './finding-list.tsx';
import { type OrderedCheck, orderedChecks } from './ordered-checks.ts';
import { WantedFields } from './wanted-fields.tsx';

/** Shows a kept request's checks and findings. If there are no findings, it shows the advice for the problem code. */
export function RequestExplanationPanel({
  request,
  isReasonShown = false,
}: {
  readonly request: RequestEntry;
  /** Set if the page already says the request's reason. */
  readonly isReasonShown?: boolean;
}): ReactElement {
  const { outcome, requestId } = request;
  const isRefused = isRefusal(outcome);
  const { data, error, isPending, refetch } = useApiQuery(
    'getRequestExplanation',
    { path: { requestId } },
    { enabled: isRefused },
  );
  const isMissing = isApiError(error, 'not_found');
  const findings = data?.findings ?? [];
  return (
    <Stack gap="md">
      {isRefused && isPending && <Skeleton height={120} radius="md" />}
      {findings.length > 0 && <FindingList findings={findings} />}
      {(data ?? (isMissing || !isRefused)) && findings.length === 0 && <Advice outcome={outcome} />}
      {data?.wanted && findings.length > 0 && (
        <Stack gap={4}>
          <Text size="sm" fw={500}>
            {t.wanted(data.wanted.profile)}
          </Text>
          <WantedFields wanted={data.wanted} />
        </Stack>
      )}
      {data?.isComplete === false && <Remark>{t.incomplete}</Remark>}
      {data && data.withheldFindings > 0 && <Remark>{t.withheld(data.withheldFindings)}</Remark>}
      {data?.isComplete && findings.length === 0 && data.withheldFindings === 0 && (
        <NothingFound outcome={outcome} />
      )}
      {isMissing && <Remark>{t.notSearched}</Remark>}
      {error && !isMissing && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <CheckList
        checks={withoutReason(orderedChecks(request, data), isReasonShown ? request.reason : undefined)}
      />
    </Stack>
  );
}

function withoutReason(checks: readonly OrderedCheck[], said: string | undefined): readonly OrderedCheck[] {
  if (said === undefined) return checks;
  return checks.map((check) => {
    const { reason, ...facts } = check.facts;
    return reason === said ? { ...check, facts } : check;
  });
}

const fingerprintCommand =
  "openssl pkey -in private.pem -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64 | sed 's/=*$//; s/^/SHA256:/'";

function NothingFound({ outcome }: { readonly outcome: string }): ReactElement {
  if (outcome !== 'signature_invalid') return <Remark>{t.foundNone}</Remark>;
  return (
    <Stack gap={4}>
      <Remark>{t.foundNoneInSignature}</Remark>
      <CopyableText value={fingerprintCommand} label={t.fingerprintCommand} />
    </Stack>
  );
}

function Remark({ children }: { readonly children: string }): ReactElement {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

function Advice({ outcome }: { readonly outcome: string }): ReactElement | null {
  const detail = problemDetail(outcome);
  if (detail === undefined) return null;
  return (
    <Notice tone="info" title={t.whatToDo}>
      {detail}
    </Notice>
  );
}
