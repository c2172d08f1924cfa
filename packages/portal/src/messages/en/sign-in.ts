export const signIn = {
  documentTitle: (title: string, serviceName: string): string => `${title} · ${serviceName}`,
  footer: 'Every request signed, every key yours.',
  email: 'Email',
  password: 'Password',
  name: 'Your name',
  required: 'Required.',
  emailInvalid: 'Enter an email address, such as ada@example.com.',
  toSignIn: 'Go to sign-in',

  signInTo: (serviceName: string): string => `Sign in to ${serviceName}`,
  signIn: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  withOidc: (name: string): string => `Sign in with ${name}`,
  or: 'or',
  forgot: 'Forgot your password?',
  demonstrationTitle: 'This is a demo',
  demonstrationText:
    'The demo account comes with clients, keys and requests. Look around and change whatever you like.',
  demonstrationAction: 'Open demo account',
  oidcFailedTitle: 'Signing in with your company account failed',
  oidcProblems: {
    'provider-refused':
      'Your company’s sign-in service did not confirm your identity. Try again, or ask your IT department.',
    'provider-unavailable': 'Your company’s sign-in service is not responding. Try again in a moment.',
    'person-unknown': 'There is no member with your email address. Ask an account owner to invite you.',
    'sign-in-expired': 'It took too long, or you started it in another window. Try again.',
  },
  needsSetUpTitle: 'Nobody can sign in yet',
  needsSetUpText:
    'The service printed a one-time set-up link when it started. Open that link, or restart the service to get a new one.',
  resetDoneTitle: 'Your password was changed',
  endedTitle: 'Your session has ended',
  endedText: 'Sign in again to continue.',
  endedKept: 'Sign in again to continue. What you entered on this page is kept.',
  resetDoneText: 'You have been signed out everywhere. Sign in with the new password.',

  secondFactorTitle: 'One more step',
  secondFactorTotp: 'Enter the code from your authenticator app.',
  secondFactorRecovery: 'Enter one of your recovery codes. Each code works once.',
  secondFactorPasskey: 'Confirm it’s you with your passkey.',
  code: 'Code',
  codeHint: '6 digits',
  recoveryCode: 'Recovery code',
  verify: 'Continue',
  useTotp: 'Use an authenticator code',
  useRecovery: 'Use a recovery code',
  usePasskey: 'Use a passkey',
  otherAccount: 'Sign in as someone else',

  forgotTitle: 'Reset your password',
  forgotText: 'We’ll email you a link to choose a new one.',
  forgotTextNoMail: 'This service does not send email, so the operator has to give you the link.',
  forgotAction: 'Send link',
  forgotActionNoMail: 'Create link',
  forgotDoneTitle: 'Check your email',
  forgotDoneText: (email: string, minutes: number): string =>
    `If ${email} belongs to a member, a link is on its way. It works for ${minutes} minutes.`,
  forgotDoneNoMailTitle: 'Ask the operator for the link',
  forgotDoneNoMailText: (email: string, minutes: number): string =>
    `If ${email} belongs to a member, the link is in the service’s mail folder now. It works for ${minutes} minutes.`,
  backToSignIn: 'Back to sign-in',

  resetTitle: 'Choose a new password',
  resetText: 'This signs you out everywhere.',
  newPassword: 'New password',
  passwordHint: (charactersMin: number): string =>
    `At least ${charactersMin} characters. A few unrelated words work best.`,
  passwordLeft: (count: number): string => (count === 1 ? '1 more character' : `${count} more characters`),
  passwordLong: 'Long enough',
  passwordTooShort: (charactersMin: number): string => `Use at least ${charactersMin} characters.`,
  passwordBreached:
    'This password has leaked somewhere, so attackers try it first. Choose one that you have never used.',
  passwordTooWeak: 'Too easy to guess. Avoid words related to you or this service.',
  resetAction: 'Change password',

  setUpTitle: 'Welcome',
  setUpText: (serviceName: string): string =>
    `You are the first user, so you will be the operator of ${serviceName}, who runs the service and creates its accounts.`,
  setUpAction: 'Set up',

  invitationTitle: (accountName: string): string => `Join ${accountName}`,
  invitationText: (inviterName: string, accountName: string, role: string): string =>
    `${inviterName} has invited you to join ${accountName} as ${role}.`,
  invitationKnown: 'You already have a password here. Enter it to confirm.',
  invitationAction: 'Join',

  checkingLink: 'Checking the link…',
  linkMissingTitle: 'The link is incomplete',
  linkMissingText: 'Open the complete link from the email, including the part after the #.',
} as const;
