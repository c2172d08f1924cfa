import type { Profile } from '../profile.ts';
import { countersign } from './countersign.ts';

/** The closed profile for earlier signers: they may leave out `date`. */
export const countersignWithoutDate: Profile = {
  ...countersign,
  id: 'countersign-without-date',
  date: 'optional',
};
