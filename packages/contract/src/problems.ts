/** The name of a check of the profile; explanations use the same names. */
export type ProfileCheckName =
  | 'framing'
  | 'presence'
  | 'syntax'
  | 'parameters'
  | 'algorithm'
  | 'components'
  | 'time'
  | 'signature'
  | 'active'
  | 'network'
  | 'permission'
  | 'body'
  | 'replay';

/** One problem of the API, as `application/problem+json` (RFC 9457). Its anchor in the documents is its code. */
export interface Problem {
  /** The HTTP status code. */
  readonly status: number;
  /** The check of the profile that rejects with it. */
  readonly check?: ProfileCheckName;
  /**
   * The requests to which it applies, besides the operations that name it: every request, one with a session,
   * one with an `Idempotency-Key`, or only the portal's sign-in or an API behind the gateway, which are not
   * part of the service's own API.
   */
  readonly metBy?: 'every request' | 'session' | 'idempotency key' | 'sign-in' | 'protected API';
  /** Header fields of the response besides those that follow from the status. */
  readonly headers?: readonly 'Retry-After'[];
  readonly title: string;
  /**
   * What to do, in at most three short sentences. It is the same for every case of the code, so it reveals
   * nothing more to a stranger.
   */
  readonly detail: string;
}

/** The only list of codes. Codes are API: they are added, never renamed. A test compares it with `docs/errors.md`. */
const table = {
  // The checks of profile section 2.1, in their order.
  request_malformed: {
    status: 400,
    check: 'framing',
    metBy: 'every request',
    title: 'The request is malformed',
    detail:
      'Send a well-formed HTTP/1.1 request with one Host header that names this service and a target that starts with "/" and has no fragment.',
  },
  uri_too_long: {
    status: 414,
    check: 'framing',
    metBy: 'every request',
    title: 'The URL is too long',
    detail: 'Shorten the path and query to at most 8,192 bytes.',
  },
  headers_too_large: {
    status: 431,
    check: 'framing',
    metBy: 'every request',
    title: 'The headers are too large',
    detail:
      'Send at most 100 header lines and 16,384 bytes of headers, with at most 4,096 bytes each in Signature-Input and Signature.',
  },
  too_many_failures: {
    status: 429,
    metBy: 'every request',
    title: 'Too many requests from this address have failed',
    detail:
      'Stop whatever sends requests without a valid signature from this address. Sign this request again and retry it after Retry-After seconds.',
  },
  signature_missing: {
    status: 401,
    check: 'presence',
    metBy: 'every request',
    title: 'The request is not signed',
    detail: 'Sign the request and send Signature-Input and Signature exactly once each.',
  },
  signature_malformed: {
    status: 401,
    check: 'syntax',
    metBy: 'every request',
    title: 'The signature headers are malformed',
    detail:
      'Send exactly one member named sig in Signature-Input and in Signature, without extra white space and with complete Base64.',
  },
  signature_not_selected: {
    status: 401,
    check: 'syntax',
    metBy: 'every request',
    title: "No signature follows the client's profile",
    detail:
      "Sign with the label or the tag that the client's profile selects, as Accept-Signature shows once your key is proved.",
  },
  signature_ambiguous: {
    status: 401,
    check: 'syntax',
    metBy: 'every request',
    title: 'Several signatures count',
    detail: 'Send one signature that a profile of this service selects, by its label or its tag.',
  },
  parameters_invalid: {
    status: 401,
    check: 'parameters',
    metBy: 'every request',
    title: 'The signature parameters are wrong',
    detail:
      'Sign with exactly the parameters created, keyid and alg, once each, and with a nonce only where this service asks for one.',
  },
  algorithm_not_allowed: {
    status: 401,
    check: 'algorithm',
    metBy: 'every request',
    title: 'The algorithm is not allowed',
    detail:
      'Sign with the algorithm of your key: RSASSA-PKCS1-v1_5 and SHA-256 (alg="rsa-v1_5-sha256"), Ed25519 (alg="ed25519"), ECDSA over P-256 and SHA-256 (alg="ecdsa-p256-sha256") or ECDSA over P-384 and SHA-384 (alg="ecdsa-p384-sha384").',
  },
  components_invalid: {
    status: 401,
    check: 'components',
    metBy: 'every request',
    title: 'The signature covers the wrong components',
    detail:
      "Cover exactly the components listed in this response's Accept-Signature header, in that order and without parameters.",
  },
  created_expired: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'The signature is too old',
    detail:
      'Sign each request just before sending it, and check the clock of the signing machine: created may be at most 300 seconds before serverTime.',
  },
  created_in_future: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'The signature was created in the future',
    detail: 'Correct the clock of the signing machine: created may be at most 60 seconds after serverTime.',
  },
  signature_expired: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'The signature has expired',
    detail:
      'Sign each request just before sending it, with an expires that is still to come at serverTime, and check the clock of the signing machine.',
  },
  date_invalid: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'The Date header is missing or malformed',
    detail: 'Send Date exactly once, in the form "Tue, 20 Apr 2021 02:07:55 GMT".',
  },
  date_mismatch: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'Date and created differ',
    detail: 'Set Date and created from the same clock reading: they may differ by at most 60 seconds.',
  },
  // One text for an unknown client, an unusable key and a wrong signature: a stranger must not learn which it was.
  signature_invalid: {
    status: 401,
    check: 'signature',
    metBy: 'every request',
    title: 'The signature is not valid',
    detail:
      'Check that keyid is your clientId, that your public key is registered and still valid, and that you signed exactly the method, URL and headers you send.',
  },
  // Codes that depend on what is registered for the client come after its key is proved.
  directory_mismatch: {
    status: 401,
    check: 'components',
    metBy: 'every request',
    title: "Signature-Agent names another directory than the client's",
    detail:
      "Send and cover a Signature-Agent that names the directory of the client's keys, or ask an admin of your account to change the directory.",
  },
  profile_not_accepted: {
    status: 403,
    check: 'active',
    metBy: 'every request',
    title: "The client's profile is not accepted here",
    detail:
      "Signing again does not help. Ask the operator of this service to accept the client's profile here, or to give the client another profile.",
  },
  client_disabled: {
    status: 403,
    check: 'active',
    metBy: 'every request',
    title: 'The client is disabled',
    detail: 'Ask an admin of your account to enable this client.',
  },
  account_suspended: {
    status: 403,
    check: 'active',
    metBy: 'every request',
    title: 'The account is suspended',
    detail: 'Ask the operator of the service why your account is suspended.',
  },
  network_not_allowed: {
    status: 403,
    check: 'network',
    metBy: 'every request',
    title: 'The source address is not allowed',
    detail:
      "Call from an address on the client's network whitelist, or ask an admin of your account to add your address.",
  },
  permission_denied: {
    status: 403,
    check: 'permission',
    title: 'No role allows this operation',
    detail: 'Ask an admin of your account to give the client a role that allows this operation.',
  },
  rate_limited: {
    status: 429,
    metBy: 'every request',
    title: 'The client has sent too many requests',
    detail:
      'Sign the request again and retry it after Retry-After seconds. RateLimit-Policy and RateLimit state the limit.',
  },
  body_too_large: {
    status: 413,
    check: 'body',
    metBy: 'every request',
    title: 'The body is too large',
    detail: 'Send a smaller body. The limit is 1 MiB unless the operator of this service has changed it.',
  },
  digest_missing: {
    status: 401,
    check: 'body',
    metBy: 'every request',
    title: 'Content-Digest is missing',
    detail:
      'Send Content-Digest exactly once with every request that has a body, and cover it with the signature.',
  },
  digest_malformed: {
    status: 401,
    check: 'body',
    metBy: 'every request',
    title: 'Content-Digest is malformed',
    detail:
      'Send Content-Digest as "sha-256=:<Base64 of the SHA-256 of the body>:", with no other algorithm and no white space.',
  },
  digest_mismatch: {
    status: 401,
    check: 'body',
    metBy: 'every request',
    title: 'The body does not match Content-Digest',
    detail: 'Compute Content-Digest over exactly the body bytes you send.',
  },
  signature_replayed: {
    status: 401,
    check: 'replay',
    metBy: 'every request',
    title: 'The signature has already been used',
    detail: 'Sign every request separately. If two requests are otherwise identical, use a later created.',
  },

  // Finding the operation and reading its input.
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'Check the path and the IDs in it: the resource does not exist or belongs to another account.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    detail: "Use one of the methods in this response's Allow header.",
  },
  content_type_unsupported: {
    status: 415,
    title: 'The content type is not supported',
    detail: 'Send the body as JSON in UTF-8, with the header Content-Type: application/json.',
  },
  body_invalid: {
    status: 400,
    metBy: 'every request',
    title: 'The body is not valid',
    detail:
      'Correct the fields listed in errors, each identified by its JSON Pointer, and sign the corrected request.',
  },
  query_invalid: {
    status: 400,
    metBy: 'every request',
    title: 'The query is not valid',
    detail: 'Send only parameters that this operation supports, once each and within their limits.',
  },
  cursor_invalid: {
    status: 400,
    title: 'The cursor is not valid',
    detail: "Send the previous page's nextCursor unchanged, or omit cursor to start with the first page.",
  },
  payment_not_cancellable: {
    status: 409,
    title: 'The payment cannot be cancelled',
    detail: 'Only a pending payment can be cancelled. Read the payment to see its status.',
  },

  // Managing clients, keys and roles.
  private_key_refused: {
    status: 400,
    title: 'The body contains a private key',
    detail:
      'Create a new key pair and send only its public key. Treat a private key that was sent as compromised.',
  },
  permission_not_held: {
    status: 403,
    title: 'You cannot grant a permission that you do not have',
    detail: 'Grant only what your own roles allow, or ask someone whose roles allow more.',
  },
  client_id_taken: {
    status: 409,
    title: 'The clientId is already taken',
    detail: 'Choose another clientId, or omit it to have one generated. A clientId is never reused.',
  },
  client_state_conflict: {
    status: 409,
    title: "The client's state does not allow this",
    detail:
      'Read the client to see its state: a revoked client can only be restored, and only a revoked client can be.',
  },
  account_state_conflict: {
    status: 409,
    title: "The account's state does not allow this",
    detail:
      'Read the account to see its state: a suspended account can be resumed or closed, and a closed one stays closed.',
  },
  key_registered: {
    status: 409,
    title: 'The key is already registered in this account',
    detail:
      'Create a new key pair. A key can be registered only once in an account, even after it was revoked.',
  },
  keys_too_many: {
    status: 409,
    title: 'The client already has two usable keys',
    detail: 'Wait until the old key has expired, or revoke it, then add the new one.',
  },
  key_not_for_profile: {
    status: 422,
    title: "The client's profile does not sign with such a key",
    detail:
      'Choose a key of a kind that the profile signs with, or another profile. GET /v1/profiles lists the algorithms of each.',
  },
  directory_url_not_allowed: {
    status: 400,
    title: 'No directory can be read from this URL',
    detail:
      'Correct the URL as the reason says: https, port 443, a public host name, in its normal form, without user name and fragment.',
  },
  webhooks_too_many: {
    status: 409,
    title: 'The account already has 20 webhooks',
    detail: 'Remove one that is not used any more, or let one webhook receive more types of events.',
  },
  alert_rules_too_many: {
    status: 409,
    title: 'The account already has 50 alert rules',
    detail: 'Remove one that is not needed any more, or let one rule watch the whole account.',
  },
  key_state_conflict: {
    status: 409,
    title: "The key's state does not allow this",
    detail:
      'Read the key to see its state: an expired or revoked key cannot be changed, and a client cannot retire its own last key.',
  },
  network_entry_taken: {
    status: 409,
    title: 'The entry is already on the whitelist',
    detail: 'Read the network whitelist to see its entries in canonical form.',
  },
  network_entry_last: {
    status: 409,
    title: 'The last whitelist entry cannot be removed',
    detail: 'Add another entry first, replace the whitelist, or disable the client.',
  },
  network_whitelist_full: {
    status: 409,
    title: 'The whitelist is full',
    detail: 'Remove entries, or combine addresses into networks: a whitelist has at most 1,000 entries.',
  },
  role_name_taken: {
    status: 409,
    title: 'The role name is already taken',
    detail: 'Choose a name that no built-in role and no other role of the account has.',
  },
  role_built_in: {
    status: 409,
    title: 'Built-in roles cannot be changed',
    detail: 'Create a role of your own with the permissions you need.',
  },
  role_in_use: {
    status: 409,
    title: 'The role is still in use',
    detail:
      'Remove it from all clients, give its members another role and cancel invitations to it. Then delete it.',
  },
  precondition_required: {
    status: 428,
    title: 'If-Match is missing',
    detail: 'Read the resource, decide, and send its ETag in If-Match with the change.',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource has changed',
    detail:
      'Read the resource again, decide whether the change still makes sense, and send its new ETag in If-Match.',
  },

  // People and invitations.
  second_person_required: {
    status: 409,
    title: 'A second person is required',
    detail:
      'In this account, the change needs the approval of a second person. A person must ask for it in the portal, one thing at a time, and someone else must approve it.',
  },
  second_person_missing: {
    status: 409,
    title: 'Nobody else could approve changes',
    detail:
      'Give a second person a role that can change the security policy first. Otherwise nobody could approve your changes.',
  },
  pending_changes_too_many: {
    status: 409,
    title: 'Too many changes are waiting',
    detail: 'Approve, reject or withdraw some of the pending changes first.',
  },
  pending_change_decided: {
    status: 409,
    title: 'The change is no longer pending',
    detail: 'It was approved, rejected or withdrawn, or it expired. Ask for it again if it is still needed.',
  },
  pending_change_failed: {
    status: 409,
    title: 'The approved change could not be made',
    detail:
      'Something changed after it was requested. Nothing was done, and it is no longer pending. Ask for it again if it is still needed.',
  },
  last_owner: {
    status: 409,
    title: 'The last owner cannot be removed',
    detail: 'Make someone else an owner first: every account needs one.',
  },
  member_exists: {
    status: 409,
    title: 'This person is already a member',
    detail: "To give them another role, change the member's role.",
  },
  invitation_pending: {
    status: 409,
    title: 'This address already has a pending invitation',
    detail: 'Resend that invitation, or cancel it first.',
  },
  invitations_too_many: {
    status: 409,
    title: 'Too many pending invitations',
    detail: 'Cancel invitations that are no longer needed: an account can have at most 100 at a time.',
  },

  // People who sign in to the portal.
  session_required: {
    status: 401,
    metBy: 'session',
    title: 'Nobody is signed in',
    detail: 'Sign in to the portal. The session has expired, or there was none.',
  },
  credentials_invalid: {
    status: 401,
    metBy: 'sign-in',
    title: 'Sign-in failed',
    detail: 'Check the email address and password, or reset the password with the link on the sign-in page.',
  },
  second_factor_invalid: {
    status: 401,
    metBy: 'sign-in',
    title: 'The code or the passkey was not accepted',
    detail:
      'Enter the code that your authenticator app shows now, or an unused recovery code. Each code works once.',
  },
  portal_network_not_allowed: {
    status: 403,
    metBy: 'session',
    title: 'This account cannot be used from your address',
    detail:
      'Use one of the networks that the account allows, or ask an owner, an admin or the operator to add your address.',
  },
  own_address_excluded: {
    status: 409,
    title: 'The list excludes your own address',
    detail: 'Add the address that you are using now to the list, or save from an address that is on it.',
  },
  second_factor_required: {
    status: 403,
    metBy: 'session',
    title: 'This account requires a second factor',
    detail: 'Add an authenticator app or a passkey in Settings > My profile, then try again.',
  },
  step_up_required: {
    status: 403,
    metBy: 'session',
    title: 'You need to confirm your identity again',
    detail:
      'Confirm with one of the methods listed in methods, then retry. The confirmation is valid for 10 minutes.',
  },
  cross_site_request: {
    status: 403,
    metBy: 'session',
    title: 'The request comes from another site',
    detail:
      'Use the portal at its own address. Session requests must come from its origin and, if they change something, carry the header Countersign-CSRF: 1.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many failed attempts',
    detail: 'Try again after Retry-After seconds. Existing sessions are not affected.',
  },
  link_invalid: {
    status: 400,
    metBy: 'sign-in',
    title: 'The link no longer works',
    detail: 'Request a new link. Each link works once and for a limited time.',
  },
  password_too_weak: {
    status: 400,
    metBy: 'sign-in',
    title: 'The password is too easy to guess',
    detail:
      'Choose 12 to 128 characters that are neither a well-known password nor your name, your email address or the name of this service.',
  },
  password_breached: {
    status: 400,
    metBy: 'sign-in',
    title: 'The password has leaked somewhere',
    detail:
      'This password is in a list of leaked passwords, which attackers try first. Choose one that you have never used, such as four unrelated words, and change it wherever else you use it.',
  },

  // Safe retries of an operation that creates something (draft-ietf-httpapi-idempotency-key-header).
  idempotency_key_malformed: {
    status: 400,
    metBy: 'idempotency key',
    title: 'The Idempotency-Key header is malformed',
    detail:
      'Send Idempotency-Key at most once, with 1 to 128 letters, digits or characters from "-._~:+/=", with or without double quotes.',
  },
  idempotency_key_in_use: {
    status: 409,
    metBy: 'idempotency key',
    headers: ['Retry-After'],
    title: 'A request with this Idempotency-Key is still running',
    detail: 'Wait a second, then retry to get the response to the first request.',
  },
  idempotency_key_reused: {
    status: 422,
    metBy: 'idempotency key',
    title: 'The Idempotency-Key was used for another request',
    detail:
      'Use a new Idempotency-Key for every new request, and reuse one only to retry an identical request.',
  },

  // An API behind the gateway.
  path_ambiguous: {
    status: 400,
    metBy: 'protected API',
    title: 'The path is ambiguous',
    detail:
      'Send the path in plain form: without encoded or doubled slashes, dot segments, backslashes or semicolons, and in the letter case that the API documents.',
  },
  body_unseen: {
    status: 400,
    metBy: 'protected API',
    title: 'The body cannot be verified here',
    detail:
      'Send the request without a body, or ask the operator of this service to configure the proxy to pass bodies on.',
  },
  upgrade_refused: {
    status: 400,
    metBy: 'protected API',
    title: 'The connection cannot be upgraded here',
    detail: 'Send the request without the Upgrade header: this path does not switch to another protocol.',
  },
  upstream_unavailable: {
    status: 502,
    metBy: 'protected API',
    title: 'The API cannot be reached',
    detail: 'Sign the request again and retry it later. It did not reach the API, so nothing was done.',
  },
  upstream_failed: {
    status: 502,
    metBy: 'protected API',
    title: 'The API did not send a valid response',
    detail:
      'The request reached the API, but the response was lost. Find out whether it was carried out before you retry it.',
  },
  upstream_busy: {
    status: 503,
    metBy: 'protected API',
    headers: ['Retry-After'],
    title: 'Too many requests are waiting for the API',
    detail: 'Nothing was done. Sign the request again and retry it after Retry-After seconds.',
  },
  upstream_timeout: {
    status: 504,
    metBy: 'protected API',
    title: 'The API did not respond in time',
    detail:
      'The request reached the API and may still be running. Find out whether it was carried out before you retry it.',
  },

  // The service cannot decide safely, so it rejects the request (fail closed).
  guard_unavailable: {
    status: 503,
    metBy: 'every request',
    title: 'The replay guard is not responding',
    detail: 'Sign the request again and retry it after Retry-After seconds.',
  },
  guard_full: {
    status: 503,
    metBy: 'every request',
    title: 'The replay guard is full',
    detail: 'Send fewer requests. Sign this one again and retry it after Retry-After seconds.',
  },
  recently_restarted: {
    status: 503,
    metBy: 'every request',
    title: 'The service has just restarted',
    detail:
      'Sign the request again and retry it after Retry-After seconds. Signatures from before the restart are rejected.',
  },
  registry_stale: {
    status: 503,
    metBy: 'every request',
    title: 'The client registry is out of date',
    detail: 'Sign the request again and retry it after Retry-After seconds.',
  },
  storage_unavailable: {
    status: 503,
    metBy: 'every request',
    title: 'The storage is not responding',
    detail: 'Sign the request again and retry it after Retry-After seconds.',
  },
  outcome_unknown: {
    status: 500,
    metBy: 'every request',
    title: 'The outcome is unknown',
    detail:
      'Sign the request again and retry it with the same Idempotency-Key or If-Match. Without either, first read the resource to see whether the change was made.',
  },
  shutting_down: {
    status: 503,
    metBy: 'every request',
    title: 'The service is shutting down',
    detail: 'Sign the request again and retry it on a new connection.',
  },
  request_timeout: {
    status: 408,
    metBy: 'every request',
    title: 'The request took too long',
    detail: 'Send the headers within 10 seconds and the whole request within 30 seconds.',
  },
  internal_error: {
    status: 500,
    metBy: 'every request',
    title: 'Internal error',
    detail: 'Contact the operator of this service and include the requestId of this response.',
  },
} as const;

/** The code of a rejection. Programs match on it: titles and details may change, codes do not. */
export type ProblemCode = keyof typeof table;

export const problems: Readonly<Record<ProblemCode, Problem>> = table;

const codes = Object.keys(table) as readonly ProblemCode[];

/** The codes that apply to one kind of request, in the order of the table. */
export function problemCodesMetBy(kind: NonNullable<Problem['metBy']>): readonly ProblemCode[] {
  return codes.filter((code) => problems[code].metBy === kind);
}

/** Returns true if a code rejects a request because of its signature, which means an unauthenticated caller. */
export function isSignatureProblem(code: ProblemCode): boolean {
  const { status, metBy } = problems[code];
  return status === 401 && metBy === 'every request';
}

const answersBeside: readonly ProblemCode[] = ['body_invalid', 'query_invalid'];

/**
 * The codes of responses to requests that passed every check, such as an ordinary 404: the caller was
 * accepted, and only the thing that it asked for was wrong.
 */
export const answerCodes: readonly ProblemCode[] = codes.filter((code) => {
  const { status, check, metBy } = problems[code];
  if (status >= 500 || check !== undefined || code === 'too_many_attempts') return false;
  return metBy === undefined || metBy === 'idempotency key' || answersBeside.includes(code);
});

/** The outcomes of requests that passed every check, whatever the response was. */
export const passedOutcomes: ReadonlySet<string> = new Set(['accepted', ...answerCodes]);

/** Returns true if a text is a code of this version. A newer service may have more. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(table, text);
}

/** A check of the profile with the codes that it rejects with. */
export interface ProfileCheck {
  /** Its place in the order of the profile, from 1. */
  readonly number: number;
  readonly name: ProfileCheckName;
  readonly codes: readonly ProblemCode[];
}

const checkNames = new Set(codes.flatMap((code) => problems[code].check ?? []));

/** The checks of profile section 2.1, in order: the first that fails determines the code. */
export const profileChecks: readonly ProfileCheck[] = [...checkNames].map((name, index) => ({
  number: index + 1,
  name,
  codes: codes.filter((code) => problems[code].check === name),
}));
