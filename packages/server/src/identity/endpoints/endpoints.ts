import type { Endpoint } from '../endpoint.ts';
import { invitationEndpoints } from './invitation.ts';
import { identityProviderEndpoints } from './oidc.ts';
import { passkeyEndpoints } from './passkey.ts';
import { passwordEndpoints } from './password.ts';
import { profileEndpoints } from './profile.ts';
import { setUpEndpoints } from './set-up.ts';
import { signInEndpoints } from './sign-in.ts';
import { stateEndpoints } from './state.ts';
import { stepUpEndpoints } from './step-up.ts';

/** Everything below `/portal/auth/`. */
export const peopleEndpoints: readonly Endpoint[] = [
  ...stateEndpoints,
  ...signInEndpoints,
  ...passkeyEndpoints,
  ...stepUpEndpoints,
  ...passwordEndpoints,
  ...setUpEndpoints,
  ...invitationEndpoints,
  ...profileEndpoints,
  ...identityProviderEndpoints,
];
