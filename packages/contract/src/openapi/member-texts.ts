/** The members of a schema by their places: `actor.kind` is a member in a member, `data[]` an element of a list. */
export type MemberTexts = Readonly<Record<string, string>>;

const page = (of: string): MemberTexts => ({
  data: of,
  nextCursor: 'Where the next page starts, for the parameter `cursor`; null on the last page.',
});
const name = 'What people call it: 1 to 100 visible characters.';
const clientId = 'The id of the client: the `keyid` of its signatures.';
const accountId = 'The account that it belongs to.';
const createdAt = 'When it was made.';
const updatedAt = 'When it was last changed.';
const fingerprint = '`SHA256:` and the Base64 of the SHA-256 over the DER of the SubjectPublicKeyInfo.';
const amount = 'Whole minor units of the currency: cents of EUR, yen of JPY.';
const currency = 'An ISO 4217 code.';
const reference = "The caller's own name for the payment; it need not be unique.";
const publicKey =
  'An RSA public key as PEM, bare Base64, certificate, JWK or `ssh-rsa` line. Never a private key.';
const roleNames = 'Names of roles.';
const acceptWithoutDate = 'Whether its signatures may leave out `date`, as an earlier signer does.';
const allowExplanations =
  'Whether a refusal by `/v1/signature-test` of a request that names it is explained, to whoever sent it.';
const entry =
  'An address, a network such as `203.0.113.0/24`, or `0.0.0.0` for everyone. It is kept in its canonical text.';
const keyAgeDaysMax =
  'After so many days a key of the account stops verifying; null when age alone ends no key.';
const roleName = 'What clients are given it by: lower-case letters, digits and single hyphens between them.';

/** What each schema and each of its members is; the empty place is the schema itself. A test finds what is missing. */
export const memberTexts: Readonly<Record<string, MemberTexts>> = {
  Whoami: {
    '': 'Who the caller is, and how the service sees the request.',
    clientId,
    accountId,
    name,
    keyFingerprint: `The key that signed this request: ${fingerprint}`,
    roles: roleNames,
    permissions: 'What the roles permit, sorted.',
    sourceAddress: 'The address that the network whitelist was asked about.',
    clockDifferenceSeconds:
      "`created` of the signature minus the clock of the service: negative when the caller's clock is behind.",
    serverTime: 'The clock of the service.',
  },
  Payment: {
    '': 'A payment of the sandbox.',
    paymentId: 'The id of the payment.',
    clientId: 'The client that created it.',
    status: 'Where it stands; `completed` and `cancelled` are final.',
    amount,
    currency,
    reference,
    description: 'What it is for.',
    createdAt,
    completedAt: 'When it was completed; only when it is.',
    cancelledAt: 'When it was cancelled; only when it is.',
  },
  PaymentPage: { '': 'A page of payments.', ...page('The payments, newest first.') },
  PaymentRequest: {
    '': 'The payment to create.',
    amount,
    currency,
    reference,
    description: 'What it is for.',
  },
  Client: {
    '': 'A program that may call the API.',
    clientId,
    accountId,
    name,
    status: 'Where it stands. A revoked client can be restored for 7 days; after that it is gone.',
    roles: roleNames,
    acceptWithoutDate,
    allowExplanations,
    keys: 'Its keys that are neither expired nor revoked: two at most.',
    createdAt,
    updatedAt,
    lastUsedAt: 'When its last accepted request came; some seconds late.',
    revokedAt: 'Only when revoked.',
    restorableUntil: 'Until when a revoked client can be restored.',
  },
  ClientPage: { '': 'A page of clients.', ...page('The clients, in the order of their ids.') },
  ClientRequest: {
    '': 'The client to register.',
    name,
    networkWhitelist: 'Where it may call from: at least one entry.',
    publicKey: `${publicKey} Without one the client cannot call until a key is added.`,
    roles: roleNames,
    acceptWithoutDate: `${acceptWithoutDate} No, unless set.`,
    allowExplanations: `${allowExplanations} No, unless set.`,
    clientId: 'For the operator only: the clientId of a client that moves here from elsewhere.',
    accountId:
      "For the operator only: the account that the client belongs to; the operator's own unless set.",
  },
  ClientChange: {
    '': 'What to change of a client; what is left out stays as it is (RFC 7396).',
    name,
    roles: `${roleNames} They replace those that it has.`,
    acceptWithoutDate,
    allowExplanations,
  },
  NetworkWhitelist: {
    '': 'Where a client may call from.',
    entries: 'The entries, in canonical text.',
    'entries[].entry': 'An address or a network.',
    'entries[].label': 'What people call it.',
    'entries[].createdAt': 'When it was added.',
    'entries[].lastSeenAt': 'When the last accepted request came from there; some seconds late.',
  },
  NetworkEntryRequest: {
    '': 'An entry of a whitelist.',
    entry,
    label: 'What people call it: at most 100 characters.',
  },
  NetworkWhitelistRequest: {
    '': 'The whole whitelist.',
    entries: 'All the entries: 1 to 1,000.',
  },
  NetworkAddressTest: {
    '': 'Whether a whitelist allows an address.',
    address: 'The address in its canonical text.',
    isAllowed: 'Whether a request from there is allowed.',
    entries: 'The entries that allow it.',
  },
  Key: {
    '': 'A public key of a client.',
    keyId: 'The id of the key. Signatures do not name it: their `keyid` is the clientId.',
    clientId,
    fingerprint,
    modulusBits: 'How long its modulus is.',
    status:
      '`pending` has signed no valid request yet, `retiring` verifies until `endsAt`; `expired` and `revoked` are final.',
    createdAt: 'When it was registered.',
    startsAt: 'It does not verify before.',
    endsAt: 'It does not verify from then on.',
    firstUsedAt: 'When it signed its first valid request.',
    lastUsedAt: 'When it signed its last accepted request; some seconds late.',
    revokedAt: 'Only when revoked.',
    revocationReason: 'Only when revoked.',
    replacesKeyId: 'The key that begins to end when this one has signed its first valid request.',
    overlapSeconds: 'How long the replaced key verifies from then on.',
    ageDays: 'Whole days since it was registered.',
    rotation: 'Whether it is time to change it; only while it can verify.',
    rotationDueAt: 'When it should have been changed; only while it can verify.',
  },
  KeyPage: { '': 'A page of keys.', ...page('The keys, oldest first, with those that have ended.') },
  KeyRequest: {
    '': 'The public key to add.',
    publicKey,
    overlapSeconds:
      'How long the key before it verifies after this one has signed its first valid request; 72 hours unless set.',
    startsAt: 'It does not verify before; from now unless set.',
    endsAt: 'It does not verify from then on; no end unless set.',
  },
  KeyRetirement: {
    '': 'When a key ends.',
    endsAt: 'It does not verify from then on; in 72 hours unless set.',
  },
  KeyExtension: { '': 'More time for a key that ends.', endsAt: 'The later end.' },
  KeyRevocation: { '': 'Why a key is revoked.', reason: 'Why: it stands in the audit event.' },
  KeyRenewalInfo: {
    '': 'When to change a key (RFC 9773 section 4.2): pick a random time in the window, and change it then.',
    suggestedWindow: 'A window in the past means: now.',
    'suggestedWindow.start': 'Where the window begins.',
    'suggestedWindow.end': 'Where the window ends.',
  },
  KeyInspectionRequest: {
    '': 'A text that may be a public key.',
    publicKey: 'Any text, a private key too: it is not kept, and nothing of it is repeated.',
  },
  KeyInspection: {
    '': 'What a text is as a public key.',
    isAcceptable: 'Whether it could be registered as a key of a client.',
    format: 'How it was written.',
    modulusBits: 'How long its modulus is.',
    fingerprint,
    registeredForClientId: 'The client of the account that has the key, revoked or not.',
    reason: 'Why it cannot be registered, for programs: `private_key`, `modulus_too_small` and so on.',
    advice: 'What to do about it.',
  },
  Role: {
    '': 'A named set of permissions that clients are given.',
    roleId: 'The name of a built-in role, the id of an own one.',
    name: roleName,
    isBuiltIn: 'Whether every account has it, and nobody changes it.',
    summary: 'For whom it is.',
    permissions: 'What it permits, sorted.',
    createdAt: 'When it was made; only of own roles.',
    updatedAt: 'When it was last changed; only of own roles.',
  },
  RolePage: { '': 'A page of roles.', ...page("The built-in roles first, then the account's own.") },
  RoleRequest: {
    '': 'The role to add.',
    name: roleName,
    summary: 'For whom it is: at most 200 characters.',
    permissions: 'What it permits: nothing that you do not hold yourself.',
  },
  RoleChange: {
    '': 'What to change of a role; what is left out stays as it is (RFC 7396).',
    name: roleName,
    summary: 'For whom it is: at most 200 characters.',
    permissions: 'What it permits from now on: nothing new that you do not hold yourself.',
  },
  PermissionPage: {
    '': 'All permissions.',
    ...page('The permissions, sorted by name.'),
    'data[].name': 'Named `resource:action`.',
    'data[].summary': 'What it allows.',
    'data[].isHeld': 'Whether the caller holds it, and so may grant it.',
  },
  RequestEntry: {
    '': 'What is kept of a request for 30 days: never its body, its signature or a header.',
    requestId: 'The name of the request, as its answer told it.',
    receivedAt: 'When it began.',
    accountId: 'The account of the client.',
    clientId: 'The client that the request named; proved only where `isProved`.',
    isProved: 'Whether the signature was valid, so that the request came from the client.',
    outcome: '`accepted`, or the code of the refusal. Every check before it was passed.',
    reason: 'What is wrong with the request, for its owner: more than the caller was told.',
    method: 'The method of the request.',
    url: 'The path, and the names of the query parameters; values only where the operator allows it.',
    status: 'The status of the answer.',
    sourceAddress: 'Where the request came from.',
    keyFingerprint: `The key that verified the signature: ${fingerprint}`,
    clockDifferenceSeconds: '`created` minus the clock of the service.',
    durationMs: 'How long the answer took.',
  },
  RequestPage: { '': 'A page of requests.', ...page('The requests, newest first.') },
  RequestExplanation: {
    '': 'Why a request was refused, as far as it can be told.',
    verdict: 'Whether the signature is accepted; a refused request stays refused.',
    checks: 'The checks of the profile, in their order.',
    'checks[].name': 'What was checked.',
    'checks[].state': 'What became of it.',
    'checks[].facts': 'What it was decided by.',
    base: 'The text that must be signed; never of a request of the log.',
    findings: 'The mistakes; none for a request that is right.',
    'findings[].code': 'Which mistake. Codes are added, never renamed.',
    'findings[].certainty':
      '`proven` by a hash that the caller made, `observed` in the request itself, or `likely`: it could be otherwise.',
    'findings[].what': 'What is wrong, in one sentence.',
    'findings[].mend': 'What to do, in one sentence.',
    'findings[].evidence':
      'Two texts that should be equal. Of a request of the log, without values of its query.',
    'findings[].evidence.expected': 'What the service expects.',
    'findings[].evidence.received': 'What the caller made.',
    'findings[].evidence.firstDifference': 'Where they first differ, in UTF-16 code units.',
    'findings[].page': 'The place in the documents that tells more.',
    isComplete: 'False when the search ended before everything was tried.',
    withheldFindings:
      'How many findings are left out, because they tell of keys that the reader may not see.',
  },
  ExplanationRequest: {
    '': 'A request as it was sent, to be explained. Nothing of it is stored.',
    method: 'The method of the request.',
    targetUri: 'The whole URL as called.',
    headers: 'The lines of the header, in their order.',
    'headers[].name': 'The name of the field.',
    'headers[].value': 'Its value.',
    bodyText: 'The body as text; empty for no body. With neither of the two, nothing is said about the body.',
    bodyBase64: 'The bytes of the body in Base64, in the place of `bodyText`.',
    claimedBase: 'The signature base that the caller says it built.',
    receivedAt: 'When the request was sent; now unless set.',
  },
  SignatureTest: {
    '': 'What was verified of a request. Nothing was done.',
    clientId,
    keyFingerprint: `The key that signed this request: ${fingerprint}`,
    method: 'The method that was signed.',
    targetUri: 'The URL as the service sees it.',
    components: 'What the signature covers, in its order.',
    created: 'When the request was signed, in Unix seconds.',
    clockDifferenceSeconds:
      "`created` of the signature minus the clock of the service: negative when the caller's clock is behind.",
    contentDigest: 'The field that covers the body; only with a body.',
    base: 'The text that was signed.',
    serverTime: 'The clock of the service.',
  },
  SignatureTestBody: { '': 'Anything at all: it is verified, and then not looked at.' },
  AuditEvent: {
    '': 'A change, kept for good. It was written together with the change: there are both or neither.',
    eventId: 'The id of the event.',
    happenedAt: 'When it happened.',
    accountId: 'The account in which it happened.',
    actor: 'Who did it.',
    'actor.kind': 'A client by a signed request, the operator on the machine, or the service by itself.',
    'actor.id': 'The clientId, the name of the operator, or what in the service did it.',
    action: 'What was done.',
    targets: 'What it was done to: the thing itself first, then what it belongs to.',
    'targets[].type': 'What it is.',
    'targets[].id': 'Its id.',
    before: 'What was there before, as far as it differs; never key material.',
    after: 'What is there now, as far as it differs; never key material.',
    sourceAddress: 'Where the request came from that did it.',
    requestId: 'The request that did it.',
  },
  AuditEventPage: { '': 'A page of audit events.', ...page('The events, newest first.') },
  Account: {
    '': 'An account: the customer that clients belong to.',
    accountId: 'The id of the account.',
    name,
    isOperator: "Whether it is the operator's: only there the permissions for accounts count.",
    keyAgeDaysMax,
    createdAt,
    updatedAt,
  },
  AccountPage: { '': 'A page of accounts.', ...page('The accounts, oldest first.') },
  AccountRequest: { '': 'The account to add.', name, keyAgeDaysMax },
  AccountChange: {
    '': 'What to change of an account; what is left out stays as it is (RFC 7396).',
    name,
    keyAgeDaysMax,
  },
};
