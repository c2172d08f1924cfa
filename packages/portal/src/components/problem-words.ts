import { isApiError } from '../api/api-error.ts';
import { ApiError } from '@countersign/contract';
import { localProblems } from '../messages/en/problem-advice.ts';
import { components as t } from '../messages/en/components.ts';
import {
  problemAdvice as advice,
  problemAdvice as problemAdviceWords,
} from '../messages/en/problem-advice.ts';

/** A failure in words. */
export interface ProblemWords {
  readonly title: string;
  /** What to do. */
  readonly detail: string;
}

/** The words for a failure: the portal's own for people where it has some, else the service's. */
export function wordsOf(error: unknown): ProblemWords {
  if (!(error instanceof ApiError)) return { title: t.unexpectedTitle, detail: t.unexpectedDetail };
  const own = hasOwnWords(error.code) ? advice[error.code] : undefined;
  const unreadable = isApiError(error, 'answer_unreadable') && localProblems.answerUnreadable(error.status);
  const { title, detail } = own || unreadable || error;
  const wait = error.retryAfterSeconds;
  return { title, detail: wait === undefined || wait === 0 ? detail : `${detail} ${t.tryAgainIn(wait)}` };
}

/** Whether the portal has words of its own for a code, which say what the person can do. */
export function hasOwnWords(code: string): boolean {
  return Object.hasOwn(problemAdviceWords, code);
}

/** Makes a sentence of a reason: the service writes them as the middle of one, for the log. */
export function asSentence(reason: string): string {
  const start = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
