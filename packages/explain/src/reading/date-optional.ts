import { profileOf, profiles } from '@countersign/signature/profile';
import type { ExplainOptions } from '../explanation.ts';

/** Returns true if the client's profile lets it leave out `date`. */
export function isDateOptional(options: Pick<ExplainOptions, 'profile' | 'acceptWithoutDate'>): boolean {
  return profiles[profileOf(options)].profile.date === 'optional';
}
