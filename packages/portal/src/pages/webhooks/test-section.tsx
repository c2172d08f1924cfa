import type { Webhook, WebhookAttempt } from '@countersign/contract';
import { Button, Loader } from '@mantine/core';
import { Send } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { isApiError } from '../../api/api-error.ts';
import { Section } from '../../components/section.tsx';
import { useAction } from '../../components/use-action.ts';
import { webhooks } from '#messages/webhooks.ts';
import { webhookPath } from '../../webhooks/webhook-path.ts';
import { AttemptFailure } from './attempt-failure.tsx';
import classes from './webhooks.module.css';

const t = webhooks.test;

/** A test event, asked for at a time. */
interface SentTest {
  readonly deliveryId: string;
  readonly sentAtMs: number;
}

/** Sends a test event, and shows in place what the receiver answered. For people who may change webhooks. */
export function TestSection({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const { webhookId, status } = webhook;
  const [sent, setSent] = useState<SentTest>();
  const { isBusy, error, run } = useAction(async () => {
    const { deliveryId } = await api.call('testWebhook', { path: { webhookId } });
    setSent({ deliveryId, sentAtMs: Date.now() });
  });
  return (
    <Section
      title={t.title}
      actions={
        <Button
          variant="default"
          leftSection={<Send size={16} aria-hidden />}
          disabled={status !== 'active'}
          loading={isBusy}
          onClick={() => void run()}
        >
          {sent === undefined ? t.send : t.sendAgain}
        </Button>
      }
    >
      <div role="status" className={classes['stack']}>
        <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
        {sent === undefined && <p className={classes['hint']}>{status === 'active' ? t.text : t[status]}</p>}
        {sent !== undefined && <TestResult key={sent.deliveryId} webhookId={webhookId} sent={sent} />}
      </div>
    </Section>
  );
}

const pollMs = 700;
/** Longer than an attempt can take. */
const patienceMs = 20_000;

interface TestResultProps {
  readonly webhookId: string;
  readonly sent: SentTest;
}

function TestResult({ webhookId, sent: { deliveryId, sentAtMs } }: TestResultProps): ReactElement {
  const [attempt, setAttempt] = useState<WebhookAttempt>();
  const { data, error, dataUpdatedAt } = useApiQuery(
    'getWebhookDelivery',
    { path: { webhookId, deliveryId } },
    { enabled: attempt === undefined, refetchIntervalMs: pollMs },
  );
  const [first] = data?.attempts.slice(-1) ?? [];
  // The answer to the test is the first one: later attempts are shown with the delivery.
  if (attempt === undefined && first !== undefined) setAttempt(first);
  const open = <AppLink to={webhookPath(webhookId, deliveryId)}>{t.open}</AppLink>;
  if (attempt !== undefined) return <TestAnswer attempt={attempt} open={open} />;
  if (error) return <ErrorNotice error={error} />;
  if (dataUpdatedAt - sentAtMs > patienceMs)
    return (
      <Notice tone="neutral" title={t.stillWaiting} action={open}>
        {t.stillWaitingText}
      </Notice>
    );
  return (
    <div className={classes['waiting']}>
      <Loader size={16} aria-hidden /> {t.waiting}
    </div>
  );
}

interface TestAnswerProps {
  readonly attempt: WebhookAttempt;
  readonly open: ReactElement;
}

function TestAnswer({ attempt, open }: TestAnswerProps): ReactElement {
  const { status, durationMs, problem, answer = '' } = attempt;
  const excerpt = answer !== '' && (
    <div className={classes['excerpt']}>
      <bdi>{answer.slice(0, excerptMax)}</bdi>
      {answer.length > excerptMax && '…'}
    </div>
  );
  if (problem !== undefined)
    return (
      <Notice tone="danger" title={t.failed} action={open}>
        <AttemptFailure attempt={attempt} />
        {excerpt}
      </Notice>
    );
  return (
    <Notice tone="success" title={t.delivered(status ?? 0, durationMs)} action={open}>
      {excerpt}
    </Notice>
  );
}

const excerptMax = 300;
