import { keyTimes } from '@countersign/contract';
import { clientPath } from '../../clients/client-path.ts';

/** The choices before a new key exists. The address holds them, so that going back or reloading loses nothing. */
export interface RotationPlan {
  /** Both keys work for a while, or the old one ends at once. */
  readonly way: 'planned' | 'compromised';
  /** The next step. */
  readonly step: 'overlap' | 'key';
  readonly overlapSeconds: number;
  /** The new key of the rollover the page follows. */
  readonly keyId: string | undefined;
}

/** In seconds. */
export const overlapChoices: readonly number[] = [0, 3600, 86_400, 259_200, 604_800, 2_592_000];

/** Uses the defaults for unreadable values. */
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

export function rotatePath(clientId: string, plan: Partial<RotationPlan> = {}): string {
  const values = new URLSearchParams();
  if (plan.way === 'compromised') values.set('way', 'compromised');
  if (plan.step === 'key') values.set('step', 'key');
  if (plan.overlapSeconds !== undefined) values.set('overlap', String(plan.overlapSeconds));
  if (plan.keyId !== undefined) values.set('key', plan.keyId);
  const query = values.toString();
  return clientPath(clientId, query === '' ? '/rotate' : `/rotate?${query}`);
}
