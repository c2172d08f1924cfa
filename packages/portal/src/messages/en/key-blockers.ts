/** Why a form with a key can’t be submitted yet. */
export const keyBlockers = {
  reading: 'The key is still being read.',
  'key-not-accepted': 'This public key can’t be used.',
  'key-not-in-profile':
    'The client’s profile doesn’t sign with this key. Choose another key or another profile.',
  'private-key-not-saved': 'Save the private key and confirm it first.',
} as const;
