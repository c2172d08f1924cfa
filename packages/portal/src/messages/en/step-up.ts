export const stepUp = {
  title: 'Confirm that it is you',
  text: 'This changes who can do what. Confirm once; it counts for the next 10 minutes.',
  password: 'Password',
  code: 'Code of your authenticator app',
  codeHint: '6 digits',
  recoveryCode: 'Recovery code',
  recoveryHint: 'Each of them works once.',
  confirm: 'Confirm',
  cancel: 'Cancel',
  withPasskey: 'Confirm with a passkey',
  passkeyText: 'Your device will ask you to confirm.',
  otherWays: 'Other ways to confirm',
  use: {
    password: 'Use your password',
    totp: 'Use a code',
    'recovery-code': 'Use a recovery code',
    passkey: 'Use a passkey',
    'identity-provider': 'Use your company account',
  },
  withProvider: (name: string): string => `Confirm with ${name}`,
  providerText: (name: string): string =>
    `A window opens, in which ${name} asks you to sign in again. This page stays as it is.`,
  providerWaiting: (name: string): string => `Go on in the window of ${name}. When it is done, this goes on.`,
  windowBlocked: 'Your browser opened no window. Allow this page to open one, and try again.',
  noWay:
    'You have nothing that counts as a confirmation here. Ask the operator of this service: the sign-in of your company must be set up for it.',
  providerFailedTitle: 'This was no confirmation',
  providerProblems: {
    'provider-refused': (name: string): string =>
      `${name} did not confirm who you are. Try again, or ask whoever runs it.`,
    'provider-unavailable': (name: string): string => `${name} does not answer. Try again in a moment.`,
    'sign-in-expired': (): string => 'It took too long, or your session has ended. Try again.',
    'other-person': (name: string): string =>
      `You signed in at ${name} as somebody else. Use the account that you are signed in with here.`,
    'proof-not-dated': (name: string): string =>
      `${name} did not say when it asked you, so this cannot count as a fresh confirmation. Use another way, if you have one. If not, ask the operator of this service to have ${name} send the claim auth_time.`,
    'proof-not-fresh': (name: string): string =>
      `${name} did not ask you again, but relied on an earlier sign-in. Sign out there and try again, or use another way, if you have one. If it stays, tell the operator of this service: ${name} must heed max_age or prompt=login, and its clock must be right.`,
  },
  backToPage: 'Go back to the page that asked for it. You can close this window.',
  closeWindow: 'Close this window',
  confirmed: 'Confirmed',
  passkeyDeclined: {
    title: 'No passkey was used',
    detail: 'The dialog of your device was closed, or took too long. Try again, or choose another way.',
  },
  passkeyKnown: {
    title: 'This device has a passkey already',
    detail: 'Use the one that is there, or add another device.',
  },
  passkeyFailed: {
    title: 'Your device could not use a passkey',
    detail: 'Try another browser or device, or choose another way.',
  },
} as const;
