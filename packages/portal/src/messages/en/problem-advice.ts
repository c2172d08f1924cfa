/** Advice for people by problem code, where the service's own texts are for programs. */
export const problemAdvice: Readonly<
  Record<string, { readonly title: string; readonly detail: string } | undefined>
> = {
  permission_denied: {
    title: 'Your role does not permit this',
    detail: 'Ask an owner or admin of the account to do it, or to change your role in Settings, Team.',
  },
  not_found: {
    title: 'This is not there',
    detail:
      'It may have been removed, or it belongs to another account. Check which account is chosen at the top left.',
  },
  precondition_failed: {
    title: 'Somebody else changed this meanwhile',
    detail: 'Load the page again to see what is there now, and repeat your change.',
  },
  second_factor_required: {
    title: 'This account lets people in only with a second factor',
    detail: 'Add an authenticator app or a passkey in Settings, My profile.',
  },
  session_required: { title: 'You are signed out', detail: 'Sign in again to go on.' },
  cross_site_request: {
    title: 'The request was refused for your safety',
    detail: 'Open the portal in a tab of its own, at the address that the operator gave you, and try again.',
  },
  credentials_invalid: {
    title: 'Email or password is wrong',
    detail: 'Check both, and whether Caps Lock is on. You can also reset your password.',
  },
  second_factor_invalid: {
    title: 'The code is wrong or was used already',
    detail: 'Wait for the next code of your app, and check that the clock of your phone is right.',
  },
  too_many_attempts: {
    title: 'Too many attempts',
    detail: 'For your safety nobody can try for a while.',
  },
  link_invalid: {
    title: 'This link no longer works',
    detail: 'It was used already, has expired, or was copied incompletely. Ask for a new one.',
  },
  storage_unavailable: {
    title: 'The service cannot reach its database',
    detail: 'Nothing was changed. Try again in a minute.',
  },
};

/** Failures without a readable answer of the service. */
export const localProblems = {
  serviceUnreachable: {
    title: 'The service cannot be reached',
    detail: 'Check your connection, and try again. Nothing is known to have been changed.',
  },
  cancelled: {
    title: 'Nothing was changed',
    detail: 'You closed the dialog without confirming that it is you.',
  },
  answerUnreadable: (status: number): { readonly title: string; readonly detail: string } => ({
    title: 'The answer could not be read',
    detail:
      status < 300
        ? 'Something between this page and the service changed the answer. Load the page again.'
        : `Something between this page and the service answered with status ${status}. Try again; if it stays, tell the operator.`,
  }),
} as const;
