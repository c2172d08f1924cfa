/** The texts of the dialog that asks for a fresh proof of who the person is. */
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
  },
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
