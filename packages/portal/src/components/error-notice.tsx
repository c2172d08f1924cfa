import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { isApiError } from '../api/api-error.ts';
import { components as t } from '#messages/components.ts';
import { localProblems } from '#messages/problem-advice.ts';
import { LinkButton } from './app-link.tsx';
import classes from './notice.module.css';
import { Notice } from './notice.tsx';
import { hasOwnWords, type ProblemWords, wordsOf } from './problem-words.ts';

interface ErrorNoticeProps {
  /** Undefined or null: nothing is shown. */
  readonly error: unknown;
  /** Retries a failed read. Not for changes. */
  readonly onRetry?: () => void;
  /** Texts by code, where the usual ones do not fit. */
  readonly words?: Readonly<Record<string, ProblemWords>>;
}

/** True if nothing was to be changed. */
const whenReading = { service_unreachable: localProblems.notShown };

/** Explains a failure, and shows the request ID if the operator has to help. */
export function ErrorNotice({ error, onRetry, words }: ErrorNoticeProps): ReactElement | null {
  if (error === undefined || error === null) return null;
  const { title, detail } = wordsOf(error, onRetry ? { ...whenReading, ...words } : words);
  const isCancelled = isApiError(error, 'cancelled');
  if (isApiError(error, 'waits_for_second_person')) {
    return (
      <Notice
        tone="info"
        role="status"
        title={title}
        action={
          <LinkButton to="/settings/pending-changes" size="xs" variant="default">
            {t.toPendingChanges}
          </LinkButton>
        }
      >
        {detail}
      </Notice>
    );
  }
  const { errors, requestId } = isApiError(error) ? error : { errors: [], requestId: undefined };
  // Show it only if the person cannot fix the problem but the operator can.
  const isToBeAsked = isApiError(error) && (error.status >= 500 || !hasOwnWords(error.code));
  return (
    <Notice
      tone={isCancelled ? 'neutral' : 'danger'}
      role="alert"
      title={title}
      action={
        onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t.tryAgain}
          </Button>
        )
      }
    >
      {detail}
      {errors.length > 0 && (
        <ul className={classes['members']}>
          {errors.map((each) => (
            <li key={`${each.pointer} ${each.detail}`}>
              {each.pointer !== '' && <code>{each.pointer.slice(1)}</code>} {each.detail}
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && isToBeAsked && !isCancelled && (
        <div className={classes['request']}>
          {t.requestId} <code>{requestId}</code>
        </div>
      )}
    </Notice>
  );
}
