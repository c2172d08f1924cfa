import { keyTimes } from '@countersign/contract';
import { clientPath } from '../../clients/client-path.ts';

/** What is chosen before a new key is there. It stands in the address, so that a step back or a reload loses nothing. */
export interface RotationPlan {
  /** Whether both keys are to work for a while, or the old one is to end at once. */
  readonly way: 'planned' | 'compromised';
  /** Whether the overlap is chosen, and the key is next. */
  readonly step: 'overlap' | 'key';
  readonly overlapSeconds: number;
  /** The new key whose rollover the page follows. */
  readonly keyId: string | undefined;
}

/** The overlaps to choose from, in seconds. */
export const overlapChoices: readonly number[] = [0, 3600, 86_400, 259_200, 604_800, 2_592_000];

/** Reads the query of the address. What cannot be is what is usual. */
export function readRotationPlan(search: string): RotationPlan {
  const values = new URLSearchParams(search);
  const overlap = Number(values.get('overlap') || Number.NaN);
  return {
    way: values.get('way') === 'compromised' ? 'compromised' : 'planned',
    step: values.get('step') === 'key' ? 'key' : 'overlap',
    overlapSeconds: overlapChoices.includes(overlap) ? overlap : keyTimes.overlapSecondsDefault,
    keyId: values.get('key') ?? undefined,
  };
}

/** The address of the page with some of a plan. */
export function rotatePath(clientId: string, plan: Partial<RotationPlan> = {}): string {
  const values = new URLSearchParams();
  if (plan.way === 'compromised') values.set('way', 'compromised');
  if (plan.step === 'key') values.set('step', 'key');
  if (plan.overlapSeconds !== undefined) values.set('overlap', String(plan.overlapSeconds));
  if (plan.keyId !== undefined) values.set('key', plan.keyId);
  const query = values.toString();
  return clientPath(clientId, query === '' ? '/rotate' : `/rotate?${query}`);
}
