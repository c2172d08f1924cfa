import type { ProblemCode } from './problems.ts';

/** One check of the profile: what it is called, and with which codes it refuses. */
export interface ProfileCheck {
  /** Its place in the order of the profile, from 1. */
  readonly number: number;
  readonly name: ProfileCheckName;
  readonly codes: readonly ProblemCode[];
}

/** The names of the checks; explanations call them so too. */
export type ProfileCheckName =
  | 'framing'
  | 'presence'
  | 'syntax'
  | 'parameters'
  | 'algorithm'
  | 'components'
  | 'time'
  | 'signature'
  | 'active'
  | 'network'
  | 'permission'
  | 'body'
  | 'replay';

/** The checks of profile section 2.1, in their order: the first that fails answers. */
export const profileChecks: readonly ProfileCheck[] = [
  { number: 1, name: 'framing', codes: ['request_malformed', 'uri_too_long', 'headers_too_large'] },
  { number: 2, name: 'presence', codes: ['signature_missing'] },
  { number: 3, name: 'syntax', codes: ['signature_malformed'] },
  { number: 4, name: 'parameters', codes: ['parameters_invalid'] },
  { number: 5, name: 'algorithm', codes: ['algorithm_not_allowed'] },
  { number: 6, name: 'components', codes: ['components_invalid'] },
  {
    number: 7,
    name: 'time',
    codes: ['created_expired', 'created_in_future', 'date_invalid', 'date_mismatch'],
  },
  { number: 8, name: 'signature', codes: ['signature_invalid'] },
  { number: 9, name: 'active', codes: ['client_disabled'] },
  { number: 10, name: 'network', codes: ['network_not_allowed'] },
  { number: 11, name: 'permission', codes: ['permission_denied'] },
  {
    number: 12,
    name: 'body',
    codes: ['body_too_large', 'digest_missing', 'digest_malformed', 'digest_mismatch'],
  },
  { number: 13, name: 'replay', codes: ['signature_replayed'] },
];
