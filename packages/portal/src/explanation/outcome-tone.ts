import { problems } from '@countersign/contract/problems';
import type { Tone } from '../components/notice.tsx';
import { isRefusal } from './refusal.ts';

/** Returns the color of an outcome: amber for a caller's mistake, red for a fault of the service. */
export function outcomeTone(outcome: string, isObserved: boolean): Tone {
  if (outcome === 'accepted') return 'success';
  // It passed, whatever the check said.
  if (isObserved || !isRefusal(outcome)) return 'neutral';
  const status = Object.hasOwn(problems, outcome) ? problems[outcome as keyof typeof problems].status : 400;
  return status >= 500 ? 'danger' : 'warning';
}
