import { ProblemError } from '@countersign/gate';
import type { Endpoint } from '../endpoint.ts';
import { invitationEndpoints } from './invitation.ts';
import { identityProviderEndpoints } from './oidc.ts';
import { passwordEndpoints } from './password.ts';
import { profileEndpoints } from './profile.ts';
import { setUpEndpoints } from './set-up.ts';
import { signInEndpoints } from './sign-in.ts';
import { stateEndpoints } from './state.ts';
import { stepUpEndpoints } from './step-up.ts';

export const peoplePath = '/portal/auth/';

/** Everything below `peoplePath`. */
export const peopleEndpoints: readonly Endpoint[] = [
  ...stateEndpoints,
  ...signInEndpoints,
  ...stepUpEndpoints,
  ...passwordEndpoints,
  ...setUpEndpoints,
  ...invitationEndpoints,
  ...profileEndpoints,
  ...identityProviderEndpoints,
];

/**
 * Finds the endpoint for a path below `peoplePath`, and the ID in the path.
 *
 * @throws ProblemError `not_found`, `method_not_allowed`
 */
export function findEndpoint(
  method: string,
  path: string,
): { readonly endpoint: Endpoint; readonly id: string } {
  const here = peopleEndpoints.flatMap((endpoint) => {
    const id = idIn(endpoint.path, path.slice(peoplePath.length));
    return id === undefined ? [] : [{ endpoint, id }];
  });
  const found = here.find(({ endpoint }) => endpoint.method === method);
  if (found !== undefined) return found;
  if (here.length === 0) throw new ProblemError('not_found');
  const Allow = here.map(({ endpoint }) => endpoint.method).join(', ');
  throw new ProblemError('method_not_allowed', { headers: { Allow } });
}

/**
 * Returns the ID in place of `{id}`, or an empty string for a path without one; undefined if the path doesn't
 * match.
 */
function idIn(pattern: string, path: string): string | undefined {
  if (!pattern.endsWith('/{id}')) return pattern === path ? '' : undefined;
  const start = pattern.slice(0, -'{id}'.length);
  const id = path.slice(start.length);
  return path.startsWith(start) && /^[a-z]+_[0-9a-z]{1,40}$/.test(id) ? id : undefined;
}
