export const signIn = {
  documentTitle: (title: string, serviceName: string): string => `${title} · ${serviceName}`,
  footer: 'Every request signed, every key yours.',
  email: 'Email',
  password: 'Password',
  name: 'Your name',
  required: 'Fill this in.',
  emailInvalid: 'Write an email address, such as ada@example.com.',
  toSignIn: 'Go to the sign-in',

  signInTo: (serviceName: string): string => `Sign in to ${serviceName}`,
  signIn: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  withOidc: (name: string): string => `Sign in with ${name}`,
  or: 'or',
  forgot: 'Forgot your password?',
  demonstrationTitle: 'This is a demonstration',
  demonstrationText:
    'A ready account with clients, keys and requests waits for you. Look around, change what you like.',
  demonstrationAction: 'Open the demo account',
  oidcFailedTitle: 'The sign-in with your company account did not work',
  oidcProblems: {
    'provider-refused':
      'Your company did not confirm who you are. Try again, or ask whoever runs its sign-in.',
    'provider-unavailable': 'The sign-in of your company does not answer. Try again in a moment.',
    'person-unknown':
      'Nobody with your email address is a member here. Ask an owner of your account to invite that address.',
    'sign-in-expired': 'It took too long, or was begun in another window. Try again.',
  },
  needsSetUpTitle: 'Nobody can sign in yet',
  needsSetUpText:
    'The service has printed a one-time link for its first person when it started. Open that link, or restart the service to get a new one.',
  resetDoneTitle: 'Your password is changed',
  resetDoneText: 'All your sessions have ended. Sign in with the new password.',

  secondFactorTitle: 'One more step',
  secondFactorTotp: 'Open your authenticator app, and type the code it shows.',
  secondFactorRecovery: 'Type one of the recovery codes that you saved. It works once.',
  secondFactorPasskey: 'Confirm with your passkey that it is you.',
  code: 'Code',
  codeHint: '6 digits',
  recoveryCode: 'Recovery code',
  verify: 'Continue',
  useTotp: 'Use a code of the app',
  useRecovery: 'Use a recovery code',
  usePasskey: 'Use a passkey',
  otherAccount: 'Sign in as somebody else',

  forgotTitle: 'Reset your password',
  forgotText: 'We send you a link with which you choose a new one.',
  forgotNoMail:
    'This service sends no mail: the operator finds the link in the folder of mails that the service writes, and gives it to you.',
  forgotAction: 'Send the link',
  forgotDoneTitle: 'Look into your mail',
  forgotDoneText: (email: string): string =>
    `If there is somebody with the address ${email}, a link is on its way. It works for one hour.`,
  backToSignIn: 'Back to the sign-in',

  resetTitle: 'Choose a new password',
  resetText: 'All your sessions end when you do.',
  newPassword: 'New password',
  passwordHint: (charactersMin: number): string =>
    `At least ${charactersMin} characters. A few words that only you would put together are best.`,
  passwordLeft: (count: number): string => (count === 1 ? '1 more character' : `${count} more characters`),
  passwordLong: 'Long enough',
  passwordTooShort: (charactersMin: number): string => `Use at least ${charactersMin} characters.`,
  passwordTooWeak: 'This is too easy to guess. Use words that have nothing to do with you or this service.',
  resetAction: 'Change the password',

  setUpTitle: 'Welcome',
  setUpText: (serviceName: string): string =>
    `You are the first person here. You become the operator of ${serviceName}: you run the service and add the accounts.`,
  setUpAction: 'Set up',

  invitationTitle: (accountName: string): string => `Join ${accountName}`,
  invitationText: (inviterName: string, accountName: string, role: string): string =>
    `${inviterName} invites you to ${accountName} as ${role}.`,
  invitationKnown: 'You can sign in already. Confirm with your password.',
  invitationAction: 'Join',

  checkingLink: 'Checking the link',
  linkMissingTitle: 'The link is incomplete',
  linkMissingText: 'Open the whole link from the mail again; the part after # belongs to it.',
} as const;
