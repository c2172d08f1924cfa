export const stepUp = {
  text: 'This change affects security. Confirm once for the next 10 minutes.',
  password: 'Password',
  demoPassword: 'You are using the demo account, so its password is filled in.',
  code: 'Authenticator code',
  codeHint: '6 digits',
  recoveryCode: 'Recovery code',
  recoveryHint: 'Each code works once.',
  confirm: 'Confirm',
  cancel: 'Cancel',
  withPasskey: 'Confirm with a passkey',
  passkeyText: 'Your device will ask you to confirm.',
  otherWays: 'Other ways to confirm',
  use: {
    password: 'Use your password',
    totp: 'Use an authenticator code',
    'recovery-code': 'Use a recovery code',
    passkey: 'Use a passkey',
    'identity-provider': 'Use your company account',
  },
  withProvider: (name: string): string => `Confirm with ${name}`,
  providerText: (name: string): string =>
    `A window opens where ${name} asks you to sign in again. This page stays open.`,
  providerWaiting: (name: string): string =>
    `Continue in the ${name} window. This page then continues automatically.`,
  windowBlocked: 'Your browser blocked the window. Allow pop-ups for this page and try again.',
  noWay:
    'You can’t confirm your identity here yet. Contact support to have your company’s sign-in set up for this.',
  providerFailedTitle: 'Not confirmed',
  providerProblems: {
    'provider-refused': (name: string): string =>
      `${name} did not confirm your identity. Try again, or ask whoever runs it.`,
    'provider-unavailable': (name: string): string => `${name} is not responding. Try again in a moment.`,
    'sign-in-expired': (): string => 'It took too long, or your session ended. Try again.',
    'other-person': (name: string): string =>
      `You signed in to ${name} as someone else. Use the account you are signed in with here.`,
    'proof-not-dated': (name: string): string =>
      `${name} did not say when you signed in, so this does not count as a fresh confirmation. Use another way if you have one. Otherwise contact support. ${name} must send the auth_time claim.`,
    'proof-not-fresh': (name: string): string =>
      `${name} reused an earlier sign-in instead of asking you again. Sign out there and try again, or use another way if you have one. If it keeps happening, contact support. ${name} must honor max_age or prompt=login, and its clock must be right.`,
  },
  backToPage: 'Go back to the page that asked you to confirm. You can close this window.',
  closeWindow: 'Close this window',
  confirmed: 'Confirmed',
  passkeyDeclined: {
    title: 'No passkey was used',
    detail: 'The dialog on your device was closed or timed out. Try again, or choose another way.',
  },
  passkeyKnown: {
    title: 'This device already has a passkey',
    detail: 'Use the existing one, or add another device.',
  },
  passkeyFailed: {
    title: 'Your device could not use a passkey',
    detail: 'Try another browser or device, or choose another way.',
  },
} as const;
