const publicKey = 'MIIBIjANBgkqhkiG9w0BAQEF…IDAQAB';
const endsAt = '2026-12-31T12:00:00Z';

/** A body of each kind, by the name of its schema. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  PaymentRequest: { amount: 1250, currency: 'EUR', reference: 'Invoice 7' },
  ClientRequest: {
    name: 'Billing',
    networkWhitelist: [{ entry: '203.0.113.0/24', label: 'Office' }],
    publicKey,
    roles: ['payments-operator'],
  },
  ClientChange: { roles: ['payments-reader'] },
  NetworkEntryRequest: { entry: '2001:db8::/32', label: 'Office' },
  NetworkWhitelistRequest: { entries: [{ entry: '203.0.113.7' }] },
  KeyRequest: { publicKey, overlapSeconds: 86_400 },
  KeyRetirement: { endsAt },
  KeyExtension: { endsAt },
  KeyRevocation: { reason: 'compromised' },
  KeyInspectionRequest: { publicKey },
  RoleRequest: { name: 'refunds', summary: 'Cancels payments', permissions: ['payments:write'] },
  RoleChange: { permissions: ['payments:read', 'payments:write'] },
  AccountRequest: { name: 'Example Ltd' },
  AccountChange: { keyAgeDaysMax: 180 },
  MemberChange: { role: 'developer' },
  InvitationRequest: { email: 'lee@example.com', role: 'developer' },
  SecurityPolicyChange: { isSecondFactorRequired: true },
  ActingRequest: {
    accountId: 'account_01m7xp8vap0ece1swwccz1jnzr',
    reason: 'Help with the first client, ticket 4711',
  },
  ExplanationRequest: {
    method: 'GET',
    targetUri: 'https://api.example.com/v1/whoami',
    headers: [
      { name: 'Host', value: 'api.example.com' },
      { name: 'Date', value: 'Sat, 21 Nov 2026 12:00:00 GMT' },
      {
        name: 'Signature-Input',
        value:
          'sig=("@method" "@target-uri" "date");created=1795262400;keyid="client_01m7xp8vap0ece1swwccz1jnzr";alg="rsa-v1_5-sha256"',
      },
      { name: 'Signature', value: 'sig=:uXAhjH13…:' },
    ],
    receivedAt: '2026-11-21T12:00:01Z',
  },
  SignatureTestBody: { anything: true },
};

/** A value of each parameter that stands in a path, as it stands there. */
export const pathExamples: Readonly<Record<string, string>> = {
  accountId: 'account_01m7xp8vap0ece1swwccz1jnzr',
  clientId: 'client_01m7xp8vap0ece1swwccz1jnzr',
  entry: '203.0.113.0%2F24',
  eventId: 'event_01m7xp8vqzcpm249ybm4jc106e',
  invitationId: 'invitation_01m7xp8vqzcpm249ybm4jc106e',
  keyId: 'key_01m7xp8vqzcpm249ybm4jc106e',
  paymentId: 'payment_01m7xp8vqzcpm249ybm4jc106e',
  requestId: 'request_01m7xp8vqzcpm249ybm4jc106e',
  roleId: 'role_01m7xp8vqzcpm249ybm4jc106e',
  userId: 'person_01m7xp8vqzcpm249ybm4jc106e',
};
