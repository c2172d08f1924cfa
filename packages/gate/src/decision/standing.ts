import { isPermitted } from '@countersign/contract/permissions';
import { type Refusal, refuse } from '@countersign/signature/profile';
import type { RegisteredClient } from '../registry.ts';
import type { Attempt } from './decide.ts';

/** Checks 9 to 11: what is known about a client besides its keys and its profile. */
export function checkStanding(client: RegisteredClient, attempt: Attempt): Refusal | undefined {
  return checkActive(client) ?? checkNetwork(client, attempt) ?? checkPermission(client, attempt);
}

/** Before check 9, for a base URL or a route that accepts only some profiles. */
export function checkProfile(
  { profile }: RegisteredClient,
  { profiles }: Pick<Attempt, 'profiles'>,
): Refusal | undefined {
  if (profiles === undefined || profiles.includes(profile)) return undefined;
  const accepted = profiles.length === 0 ? 'none' : `only ${profiles.join(' or ')}`;
  return refuse(
    'profile_not_accepted',
    `this client is registered for the profile ${profile}; here, ${accepted} is accepted`,
  );
}

/** Check 9: the client is active, and its account is not suspended. */
export function checkActive({ status, isAccountSuspended }: RegisteredClient): Refusal | undefined {
  if (status !== 'active') return refuse('client_disabled', `the client is ${status}`);
  return isAccountSuspended === true
    ? refuse('account_suspended', "the client's account is suspended")
    : undefined;
}

/** Check 10: the request comes from an address on the client's network whitelist. */
export function checkNetwork(
  client: RegisteredClient,
  attempt: Pick<Attempt, 'sourceAddress' | 'isSourceAllowed'>,
): Refusal | undefined {
  if (attempt.isSourceAllowed(client)) return undefined;
  const seen = attempt.sourceAddress === '' ? 'cannot be determined' : `is ${attempt.sourceAddress}`;
  return refuse('network_not_allowed', `the source address ${seen}; it is not on the network whitelist`);
}

/** Check 11: one of the client's roles grants the permission that the operation requires. */
export function checkPermission(
  { clientId, permissions }: RegisteredClient,
  { requirement, parameters }: Pick<Attempt, 'requirement' | 'parameters'>,
): Refusal | undefined {
  if (
    requirement === undefined ||
    isPermitted(requirement, parameters, { kind: 'client', clientId }, permissions)
  )
    return undefined;
  return refuse(
    'permission_denied',
    requirement.callers === 'people'
      ? 'only members who are signed in to the portal can do this'
      : `the operation needs the permission ${requirement.permission}, which none of the client's roles includes`,
  );
}
