import { SigningError } from '@countersign/signature';
import type { ProfileMeans } from './profile-settings.ts';

/**
 * Takes the first second in which no signer of this program, and no process with the same folder, has signed a base.
 *
 * @param base distinguishes signatures, whatever their time
 * @param aheadSecondsMax how far the second may be ahead of the clock
 * @throws SigningError `too_many_equal_requests` if all of them are taken
 */
export async function unusedSecond(
  base: string,
  aheadSecondsMax: number,
  { usedSeconds, takeSecond }: Pick<ProfileMeans, 'usedSeconds' | 'takeSecond'>,
  nowMs: () => number,
): Promise<number> {
  const last = Math.floor(nowMs() / 1000) + aheadSecondsMax;
  for (let next = last - aheadSecondsMax; next <= last; next++) {
    const created = takeSecond
      ? await takeSecond({ method: '', url: base, body: undefined }, nowMs(), false)
      : next;
    if (created > last) break;
    if (usedSeconds.add(base, created)) return created;
  }
  throw new SigningError(
    'too_many_equal_requests',
    `More than ${aheadSecondsMax} identical requests at once: each needs its own second. Wait a second, or make the requests differ, for example by a query parameter.`,
  );
}
