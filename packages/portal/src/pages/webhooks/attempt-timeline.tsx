import type { WebhookAttempt } from '@countersign/contract';
import type { ReactElement } from 'react';
import { ExactTime } from '../../components/exact-time.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { VisibleText } from '../../explanation/visible-text.tsx';
import { webhooks } from '#messages/webhooks.ts';
import classes from './delivery-detail.module.css';

const t = webhooks.delivery;

const attemptsMax = 50;

/** The attempts on a time line, newest first. The newest one is open. */
export function AttemptTimeline({
  attempts,
}: {
  readonly attempts: readonly WebhookAttempt[];
}): ReactElement {
  if (attempts.length === 0) return <p className={classes['note']}>{t.noAttempts}</p>;
  return (
    <>
      {attempts.length >= attemptsMax && <p className={classes['note']}>{t.attemptsMax(attemptsMax)}</p>}
      <ol className={classes['timeline']} aria-label={t.attempts}>
        {attempts.map((attempt, index) => (
          <Attempt
            key={`${attempt.attemptedAt} ${attempts.length - index}`}
            attempt={attempt}
            isOpen={index === 0}
          />
        ))}
      </ol>
    </>
  );
}

interface AttemptProps {
  readonly attempt: WebhookAttempt;
  readonly isOpen: boolean;
}

function Attempt({ attempt, isOpen }: AttemptProps): ReactElement {
  const { attemptedAt, durationMs, url, status, problem, answer, nextAttemptAt } = attempt;
  const isDelivered = problem === undefined;
  return (
    <li className={classes['attempt']} data-tone={isDelivered ? 'success' : 'danger'}>
      <div className={classes['attemptHead']}>
        <StatusBadge tone={isDelivered ? 'success' : 'danger'}>
          {status === undefined ? t.noAnswer : t.status(status)}
        </StatusBadge>
        <ExactTime at={attemptedAt} />
        <span className={classes['aside']}>{t.durationMs(durationMs)}</span>
      </div>
      {problem !== undefined && <p className={classes['problem']}>{problem}</p>}
      {nextAttemptAt !== null && (
        <p className={classes['note']}>
          {t.nextDue} {absoluteTime(nextAttemptAt)}
        </p>
      )}
      <details className={classes['more']} open={isOpen}>
        <summary>{t.answer}</summary>
        {answer === undefined ? (
          <p className={classes['note']}>{t.noAnswer}</p>
        ) : answer === '' ? (
          <p className={classes['note']}>{t.answerEmpty}</p>
        ) : (
          <>
            <p className={classes['note']}>{t.answerText}</p>
            <Pre label={t.answer} text={answer} />
          </>
        )}
      </details>
      <details className={classes['more']}>
        <summary>{t.request}</summary>
        <Pre label={t.request} text={requestText(url, attempt.requestHeaders)} />
      </details>
    </li>
  );
}

function requestText(url: string, headers: Readonly<Record<string, string>>): string {
  return [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');
}

/** Text of others, with its invisible characters. */
function Pre({ label, text }: { readonly label: string; readonly text: string }): ReactElement {
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={classes['pre']} role="region" aria-label={label} tabIndex={0}>
      <VisibleText text={text} />
    </pre>
  );
}
