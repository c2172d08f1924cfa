import { ApiError } from '@countersign/contract';
import { isApiError } from '../api/api-error.ts';
import { components as t } from '#messages/components.ts';
import {
  localProblems,
  problemAdvice as advice,
  problemAdvice as problemAdviceWords,
} from '#messages/problem-advice.ts';

export interface ProblemWords {
  readonly title: string;
  readonly detail: string;
}

/** Explains a failure with the portal's own text if there is one, otherwise with the service's. */
export function wordsOf(error: unknown, others: Readonly<Record<string, ProblemWords>> = {}): ProblemWords {
  if (!(error instanceof ApiError)) return { title: t.unexpectedTitle, detail: t.unexpectedDetail };
  const own = hasOwnWords(error.code) ? advice[error.code] : undefined;
  const unreadable = isApiError(error, 'answer_unreadable') && localProblems.answerUnreadable(error.status);
  const other = Object.hasOwn(others, error.code) ? others[error.code] : undefined;
  const { title, detail } = other || own || unreadable || error;
  const wait = error.retryAfterSeconds;
  return { title, detail: wait === undefined || wait === 0 ? detail : `${detail} ${t.tryAgainIn(wait)}` };
}

export function hasOwnWords(code: string): boolean {
  return Object.hasOwn(problemAdviceWords, code);
}

/** Turns a reason from the log into a sentence. */
export function asSentence(reason: string): string {
  const start = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
