/** The field for the time when a new key expires. */
export const keyExpiry = {
  label: 'Key expires (optional)',
  hint: (zone: string): string => `In your time zone, ${zone}. Leave it empty for a key that doesn’t expire.`,
  past: 'Choose a time in the future.',
  withoutKey: 'Enter the public key that expires then.',
} as const;
