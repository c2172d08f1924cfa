import {
  type InvitationOffer,
  type Passkey,
  type Profile,
  type RecoveryCodes,
  request,
  type SignInState,
  type SignInStep,
  type StepUpAnswer,
  type TotpSecret,
} from '@countersign/contract';
import { sendWithSession, withStepUp } from './session-request.ts';

/** A device's response when it creates or uses a passkey, as JSON (WebAuthn Level 3, `toJSON`). */
export type PasskeyAnswer = RegistrationResponseJSON | AuthenticationResponseJSON;

export type StepUpProof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly passkey: PasskeyAnswer };

/** Sign-in, sign-out and the person's own profile. Every function rejects with `ApiError`. */
export const auth = {
  state: (signal?: AbortSignal): Promise<SignInState> => call('GET', 'state', undefined, signal),
  signIn: (body: { email: string; password: string }): Promise<SignInStep> => call('POST', 'sign-in', body),
  secondFactor: (body: { code: string } | { recoveryCode: string }): Promise<SignInStep> =>
    call('POST', 'second-factor', body),
  passkeyOptions: (): Promise<PublicKeyCredentialRequestOptionsJSON> => call('POST', 'passkey/options', {}),
  passkeySignIn: (response: PasskeyAnswer): Promise<SignInStep> =>
    call('POST', 'passkey/sign-in', { response }),
  signOut: (): Promise<void> => call('POST', 'sign-out', {}),
  /** Keeps the session alive. Call it only for actions of the person, not for the page's own. */
  noteActivity: (): Promise<void> => call('POST', 'activity', {}),

  forgotPassword: (email: string): Promise<void> => call('POST', 'password/forgot', { email }),
  resetPassword: (body: { token: string; password: string }): Promise<void> =>
    call('POST', 'password/reset', body),
  checkSetUp: (token: string): Promise<{ serviceName: string }> => call('POST', 'set-up/check', { token }),
  setUp: (body: { token: string; name: string; email: string; password: string }): Promise<SignInStep> =>
    call('POST', 'set-up', body),
  checkInvitation: (token: string): Promise<InvitationOffer> => call('POST', 'invitation/check', { token }),
  acceptInvitation: (body: { token: string; name?: string; password: string }): Promise<SignInStep> =>
    call('POST', 'invitation/accept', body),

  stepUpOptions: (): Promise<PublicKeyCredentialRequestOptionsJSON> => call('POST', 'step-up/options', {}),
  stepUp: (proof: StepUpProof): Promise<StepUpAnswer> => call('POST', 'step-up', proof),

  profile: (signal?: AbortSignal): Promise<Profile> => call('GET', 'profile', undefined, signal),
  changeName: (name: string): Promise<unknown> => call('PATCH', 'profile', { name }),
  changePassword: (body: { currentPassword: string; newPassword: string }): Promise<void> =>
    call('POST', 'profile/password', body),
  startTotp: (): Promise<TotpSecret> => call('POST', 'profile/totp', {}),
  confirmTotp: (code: string): Promise<RecoveryCodes> => call('POST', 'profile/totp/confirm', { code }),
  removeTotp: (): Promise<unknown> => call('DELETE', 'profile/totp'),
  newRecoveryCodes: (): Promise<RecoveryCodes> => call('POST', 'profile/recovery-codes', {}),
  passkeyCreationOptions: (): Promise<PublicKeyCredentialCreationOptionsJSON> =>
    call('POST', 'profile/passkeys/options', {}),
  addPasskey: (body: { name: string; response: PasskeyAnswer }): Promise<Passkey> =>
    call('POST', 'profile/passkeys', body),
  removePasskey: (passkeyId: string): Promise<unknown> =>
    call('DELETE', `profile/passkeys/${encodeURIComponent(passkeyId)}`),
  endSession: (sessionId: string): Promise<void> =>
    call('DELETE', `profile/sessions/${encodeURIComponent(sessionId)}`),
  endOtherSessions: (): Promise<void> => call('DELETE', 'profile/sessions'),
} as const;

/** Returns the URL of the sign-in at the identity provider, which redirects back to a path of the portal. */
export function oidcStartUrl(returnPath: string): string {
  return `/portal/auth/oidc/start?return=${encodeURIComponent(`/portal${returnPath}`)}`;
}

async function call<Answer>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const target = `/portal/auth/${path}` as const;
  const answer = await withStepUp(() => request(sendWithSession, { method, target, body, signal }));
  return answer.body as Answer;
}
