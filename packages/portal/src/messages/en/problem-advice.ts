/** Advice for people by problem code, where the service's own texts are for programs. */
export const problemAdvice: Readonly<
  Record<string, { readonly title: string; readonly detail: string } | undefined>
> = {
  permission_denied: {
    title: 'Your role doesn’t allow this',
    detail: 'Ask an account owner or admin to do it, or to change your role in Settings, Team.',
  },
  not_found: {
    title: 'Not found',
    detail:
      'It may have been removed, or belong to another account. Check the account selected at the top left.',
  },
  precondition_failed: {
    title: 'Someone else changed this',
    detail: 'Reload the page to see the current version, then repeat your change.',
  },
  second_factor_required: {
    title: 'This account requires a second factor',
    detail: 'Add an authenticator app or a passkey in Settings, My profile.',
  },
  session_required: { title: 'You are signed out', detail: 'Sign in again to continue.' },
  cross_site_request: {
    title: 'The request was blocked for your security',
    detail: 'Open the portal in its own tab, at the address the operator gave you, and try again.',
  },
  credentials_invalid: {
    title: 'Email or password is wrong',
    detail: 'Check both, and whether Caps Lock is on. You can also reset your password.',
  },
  second_factor_invalid: {
    title: 'The code is wrong or already used',
    detail: 'Enter the code that your app shows now. If it fails again, check your phone’s clock.',
  },
  too_many_attempts: {
    title: 'Too many attempts',
    detail: 'For your security, further attempts are blocked for a while.',
  },
  link_invalid: {
    title: 'This link no longer works',
    detail: 'It was already used, has expired, or was not copied completely. Ask for a new one.',
  },
  storage_unavailable: {
    title: 'The service can’t reach its database',
    detail: 'Nothing was changed. Try again in a minute.',
  },
};

/** Shown if only the password was asked for. */
export const passwordAdvice = {
  credentials_invalid: {
    title: 'The password is wrong',
    detail: 'Check it, and whether Caps Lock is on.',
  },
} as const;

/** Failures without a readable response from the service. */
export const localProblems = {
  serviceUnreachable: {
    title: 'The service can’t be reached',
    detail: 'Check your connection and try again. Your change may not have been saved.',
  },
  /** Shown if something was to be read, not changed. */
  notShown: {
    title: 'The service can’t be reached',
    detail: 'Check your connection. The page appears as soon as the service can be reached again.',
  },
  cancelled: {
    title: 'Nothing was changed',
    detail: 'You closed the dialog without confirming it’s you.',
  },
  /** Not a failure, but nothing was changed. */
  waiting: {
    title: 'Waits for a second person',
    detail: 'Nothing has been changed yet. The change is made as soon as someone else approves it.',
  },
  answerUnreadable: (status: number): { readonly title: string; readonly detail: string } => ({
    title: 'The response could not be read',
    detail:
      status < 300
        ? 'Something between this page and the service changed the response. Reload the page.'
        : `Something between this page and the service responded with status ${status}. Try again. If it keeps happening, contact support.`,
  }),
} as const;
