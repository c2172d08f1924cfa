import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { useApiQuery } from '../../api/queries.ts';
import { CodeBlock } from '../../code/code-block.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { ErrorCode } from '../../documents/error-code.tsx';
import { RequestExplanationPanel } from '../../explanation/request-explanation-panel.tsx';
import { tryIt as t } from '#messages/try-it.ts';
import { usePermission } from '../../session/session-context.ts';
import type { SignedExchange } from './signed-exchange.ts';
import classes from './try-it.module.css';

/** Shows the request and the response, and why it was rejected. */
export function ExchangeResult({ exchange }: { readonly exchange: SignedExchange }): ReactElement {
  const { request, signatureBase, status, answer, problem } = exchange;
  const mayRead = usePermission('requests:read');
  return (
    <Section title={t.result}>
      <div className={classes['fields']}>
        {problem === undefined ? (
          <Notice tone={status < 400 ? 'success' : 'warning'} role="status" title={t.accepted} />
        ) : (
          <Notice tone="danger" role="status" title={t.refused(status)}>
            <ErrorCode code={problem.code} /> {problem.detail}
          </Notice>
        )}
        {mayRead && problem?.requestId !== undefined && <Explanation requestId={problem.requestId} />}
        {[
          { title: t.answer, code: answer },
          { title: t.signatureBase, code: signatureBase },
          { title: t.sentRequest, code: request },
        ].map(({ title, code }) => (
          <section key={title}>
            <h3 className={classes['part']}>{title}</h3>
            <CodeBlock code={code} language="http" label={title} copyLabel={title} />
          </section>
        ))}
      </div>
    </Section>
  );
}

/** The request log includes a request some time after its response. */
function Explanation({ requestId }: { readonly requestId: string }): ReactElement {
  const { data, error, failureCount } = useApiQuery(
    'getRequest',
    { path: { requestId } },
    { refetchIntervalMs: 1000 },
  );
  const isMissing = isApiError(error, 'not_found');
  return (
    <section>
      <h3 className={classes['part']}>{t.explanation}</h3>
      {data === undefined && (error === null || isMissing) && (
        <Text size="sm" c="dimmed" role="status">
          {failureCount > 5 ? t.explanationMissing : t.explanationPending}
        </Text>
      )}
      {error && !isMissing && <ErrorNotice error={error} />}
      {data && (
        <>
          <RequestExplanationPanel request={data} />
          <AppLink to={`/logs/requests?request=${encodeURIComponent(requestId)}`}>{t.openRequest}</AppLink>
        </>
      )}
    </section>
  );
}
