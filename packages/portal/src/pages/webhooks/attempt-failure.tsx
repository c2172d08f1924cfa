import type { WebhookAttempt } from '@countersign/contract';
import type { ReactElement } from 'react';
import { webhooks as t } from '#messages/webhooks.ts';

/** Says why an attempt failed, and what to do about it. A kind that this portal does not know has no advice. */
export function AttemptFailure({ attempt }: { readonly attempt: WebhookAttempt }): ReactElement {
  const { problem, failure } = attempt;
  const advice = failure !== undefined && Object.hasOwn(t.advice, failure) ? t.advice[failure] : undefined;
  return (
    <p>
      {problem} {advice}
    </p>
  );
}
