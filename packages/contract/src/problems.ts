/** A check of the profile by its name, which explanations use too. */
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

/** One refusal of the API, as `application/problem+json` (RFC 9457). Its place in the documents is its code. */
export interface Problem {
  /** The HTTP status code. */
  readonly status: number;
  /** The check of the profile that refuses with it. */
  readonly check?: ProfileCheckName;
  /**
   * What meets it, besides the operations that name it: every request, one with a session, one with an `Idempotency-Key`, or
   * only the portal's sign-in or an API behind the gateway, which are no parts of the service's own API.
   */
  readonly metBy?: 'every request' | 'session' | 'idempotency key' | 'sign-in' | 'protected API';
  /** Header fields of the answer besides those that follow from the status. */
  readonly headers?: readonly 'Retry-After'[];
  readonly title: string;
  /** What to do, in one sentence. It holds for every case of the code, so it tells a stranger nothing more. */
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
      'Stop the program that sends requests without a valid signature, and repeat this one, newly signed, after the seconds that Retry-After says.',
  },
  signature_missing: {
    status: 401,
    check: 'presence',
    metBy: 'every request',
    title: 'The request is not signed',
    detail: 'Sign the request, and send Signature-Input and Signature exactly once each.',
  },
  signature_malformed: {
    status: 401,
    check: 'syntax',
    metBy: 'every request',
    title: 'The signature fields are malformed',
    detail:
      'Send exactly one member named sig in Signature-Input and in Signature, without extra white space and with complete Base64.',
  },
  parameters_invalid: {
    status: 401,
    check: 'parameters',
    metBy: 'every request',
    title: 'The signature parameters are not the expected ones',
    detail:
      'Sign with exactly the parameters created, keyid and alg, once each, and with a nonce only where this service asks for one.',
  },
  algorithm_not_allowed: {
    status: 401,
    check: 'algorithm',
    metBy: 'every request',
    title: 'The algorithm is not allowed',
    detail: 'Sign with RSASSA-PKCS1-v1_5 and SHA-256, and say so with alg="rsa-v1_5-sha256".',
  },
  components_invalid: {
    status: 401,
    check: 'components',
    metBy: 'every request',
    title: 'The signature covers other components than required',
    detail:
      'Cover exactly the components that the Accept-Signature header of this answer lists, in that order and without parameters.',
  },
  created_expired: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'The signature is too old',
    detail:
      'Sign each request just before sending it, and set the clock of the signing machine: created may be at most 300 seconds before serverTime.',
  },
  created_in_future: {
    status: 401,
    check: 'time',
    metBy: 'every request',
    title: 'The signature is from the future',
    detail: 'Set the clock of the signing machine: created may be at most 60 seconds after serverTime.',
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
    detail:
      'Take Date and created from the same reading of the clock: they may differ by at most 60 seconds.',
  },
  // One text for an unknown client, a key that is not usable and a wrong signature: a stranger must not learn which.
  signature_invalid: {
    status: 401,
    check: 'signature',
    metBy: 'every request',
    title: 'The signature is not valid',
    detail:
      'Check that keyid is your clientId, that the public key that belongs to your private key is registered and usable, and that you signed exactly the method, URL and headers that you send.',
  },
  client_disabled: {
    status: 403,
    check: 'active',
    metBy: 'every request',
    title: 'The client is disabled',
    detail: 'Ask a manager of your account to enable this client.',
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
      'Call from an address in the network whitelist of the client, or ask a manager of your account to add the address that you call from.',
  },
  permission_denied: {
    status: 403,
    check: 'permission',
    title: 'No role permits this operation',
    detail: 'Ask a manager of your account to give the client a role that permits this operation.',
  },
  rate_limited: {
    status: 429,
    metBy: 'every request',
    title: 'The client has sent too many requests',
    detail:
      'Repeat the request, newly signed, after the seconds that Retry-After says, and keep to the limit that RateLimit-Policy and RateLimit tell.',
  },
  body_too_large: {
    status: 413,
    check: 'body',
    metBy: 'every request',
    title: 'The body is too large',
    detail: 'Send a smaller body: the limit is 1 MiB unless the operator of this service has set another.',
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
    detail: 'Compute Content-Digest over exactly the bytes of the body that you send.',
  },
  signature_replayed: {
    status: 401,
    check: 'replay',
    metBy: 'every request',
    title: 'The signature was used before',
    detail: 'Sign every request anew, with a later created when everything else is equal.',
  },

  // Finding the operation and reading its input.
  not_found: {
    status: 404,
    title: 'Nothing is here',
    detail: 'Check the path and the ids in it: the resource does not exist or belongs to another account.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    detail: 'Use one of the methods in the Allow header of this answer.',
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
      'Correct the members that errors lists, each by its JSON Pointer, and sign the corrected request.',
  },
  query_invalid: {
    status: 400,
    metBy: 'every request',
    title: 'The query is not valid',
    detail: 'Send only the query parameters that this operation has, once each and within their limits.',
  },
  cursor_invalid: {
    status: 400,
    title: 'The cursor is not valid',
    detail: 'Send nextCursor of the page before unchanged, or leave cursor out to start with the first page.',
  },
  payment_not_cancellable: {
    status: 409,
    title: 'The payment cannot be cancelled',
    detail: 'Only a pending payment can be cancelled: read the payment to see its status.',
  },

  // Managing clients, keys and roles.
  private_key_refused: {
    status: 400,
    title: 'The body holds a private key',
    detail:
      'Make a new key pair and send only its public half: a private key that was sent has to be taken for known to others.',
  },
  permission_not_held: {
    status: 403,
    title: 'It would grant a permission that you do not hold',
    detail: 'Grant only what your own roles permit, or ask somebody whose roles permit more.',
  },
  client_id_taken: {
    status: 409,
    title: 'The clientId is taken',
    detail: 'Give another clientId, or none to have one made: a clientId is never used again.',
  },
  client_state_conflict: {
    status: 409,
    title: 'The state of the client does not allow it',
    detail:
      'Read the client to see its state: a revoked client can only be restored, and only a revoked one.',
  },
  account_state_conflict: {
    status: 409,
    title: 'The state of the account does not allow it',
    detail:
      'Read the account to see its state: a suspended account can be resumed or closed, and a closed one stays closed.',
  },
  key_registered: {
    status: 409,
    title: 'The account has this key already',
    detail:
      'Make a new key pair: a key is registered once in an account, and a revoked one never comes back.',
  },
  keys_too_many: {
    status: 409,
    title: 'The client has two usable keys already',
    detail: 'Wait until the old key has ended, or revoke it, then add the new one.',
  },
  key_state_conflict: {
    status: 409,
    title: 'The state of the key does not allow it',
    detail:
      'Read the key to see its state: an expired or revoked key is final, and a client keeps its last key.',
  },
  network_entry_taken: {
    status: 409,
    title: 'The whitelist has this entry already',
    detail: 'Read the network whitelist to see its entries in their canonical text.',
  },
  network_entry_last: {
    status: 409,
    title: 'It is the last entry of the whitelist',
    detail: 'Add another entry first, replace the whitelist, or disable the client.',
  },
  network_whitelist_full: {
    status: 409,
    title: 'The whitelist is full',
    detail: 'Remove entries, or use networks for many addresses: a whitelist has at most 1,000 entries.',
  },
  role_name_taken: {
    status: 409,
    title: 'There is a role of this name already',
    detail: 'Choose another name: it must differ from the built-in roles and from those of the account.',
  },
  role_built_in: {
    status: 409,
    title: 'A built-in role stays as it is',
    detail: 'Add a role of your own with the permissions that you need.',
  },
  role_in_use: {
    status: 409,
    title: 'Clients have this role',
    detail: 'Take the role from all clients first, then remove it.',
  },
  precondition_required: {
    status: 428,
    title: 'If-Match is missing',
    detail: 'Read the resource, decide, and send its ETag in If-Match with the change.',
  },
  precondition_failed: {
    status: 412,
    title: 'Somebody has changed it since',
    detail: 'Read the resource again, decide anew, and send its new ETag in If-Match.',
  },

  // People and invitations.
  last_owner: {
    status: 409,
    title: 'It is the last owner',
    detail: 'Make somebody else an owner first: an account always has one.',
  },
  member_exists: {
    status: 409,
    title: 'The person is a member already',
    detail: 'Change the role of the member where it should be another one.',
  },
  invitation_pending: {
    status: 409,
    title: 'There is an invitation for this address already',
    detail: 'Send that invitation again, or withdraw it first.',
  },
  invitations_too_many: {
    status: 409,
    title: 'Too many invitations wait for an answer',
    detail: 'Withdraw invitations that nobody needs: an account has at most 100 at a time.',
  },

  // People who sign in to the portal.
  session_required: {
    status: 401,
    metBy: 'session',
    title: 'Nobody is signed in',
    detail: 'Sign in to the portal: the session has ended, or there was none.',
  },
  credentials_invalid: {
    status: 401,
    metBy: 'sign-in',
    title: 'The sign-in was not accepted',
    detail:
      'Check the email address and the password, or set a new password with the link on the sign-in page.',
  },
  second_factor_invalid: {
    status: 401,
    metBy: 'sign-in',
    title: 'The code or the passkey was not accepted',
    detail:
      'Wait for the next code of your authenticator app, which works once, or use a recovery code that you have not used.',
  },
  second_factor_required: {
    status: 403,
    metBy: 'session',
    title: 'This account asks for a second factor',
    detail: 'Add an authenticator app or a passkey in Settings > My profile, then come back.',
  },
  step_up_required: {
    status: 403,
    metBy: 'session',
    title: 'A fresh proof of who you are is needed',
    detail: 'Give one of the proofs that methods lists, then repeat the request: it counts for 10 minutes.',
  },
  cross_site_request: {
    status: 403,
    metBy: 'session',
    title: 'The request comes from another site',
    detail:
      'Use the portal at its own address: requests of a session need its origin and, when they change something, the header Countersign-CSRF: 1.',
  },
  too_many_attempts: {
    status: 429,
    title: 'There were too many wrong attempts',
    detail: 'Wait for the seconds that Retry-After says, then try again; other sessions go on meanwhile.',
  },
  link_invalid: {
    status: 400,
    metBy: 'sign-in',
    title: 'The link does not work any more',
    detail: 'Ask for a new link: each one works once and for a limited time.',
  },
  password_too_weak: {
    status: 400,
    metBy: 'sign-in',
    title: 'The password is too easy to guess',
    detail:
      'Choose 12 to 128 characters that are neither a well-known password nor your name, your email address or the name of this service.',
  },

  // Safe repetition of an operation that creates (draft-ietf-httpapi-idempotency-key-header).
  idempotency_key_malformed: {
    status: 400,
    metBy: 'idempotency key',
    title: 'The Idempotency-Key header is malformed',
    detail:
      'Send Idempotency-Key at most once, with 1 to 128 characters from letters, digits and "-._~:+/=", in double quotes or without.',
  },
  idempotency_key_in_use: {
    status: 409,
    metBy: 'idempotency key',
    headers: ['Retry-After'],
    title: 'A request with this Idempotency-Key is still running',
    detail: 'Wait a second, then repeat the request to get the answer of the first one.',
  },
  idempotency_key_reused: {
    status: 422,
    metBy: 'idempotency key',
    title: 'The Idempotency-Key belongs to another request',
    detail:
      'Use a new Idempotency-Key for every new request, and the same one only to repeat an equal request.',
  },

  // An API behind the gateway.
  path_ambiguous: {
    status: 400,
    metBy: 'protected API',
    title: 'Servers read this path differently',
    detail:
      'Send the path in its plain form: without encoded or doubled slashes, dot segments, backslashes or semicolons, and in the case that the API documents.',
  },
  body_unseen: {
    status: 400,
    metBy: 'protected API',
    title: 'The body cannot be verified here',
    detail:
      'Send the request without a body, or ask the operator of this service to let the proxy hand over bodies: this one keeps them.',
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
    detail: 'Repeat the request later, newly signed: it did not reach the API, so nothing was done.',
  },
  upstream_failed: {
    status: 502,
    metBy: 'protected API',
    title: 'The API did not give a valid answer',
    detail:
      'Find out whether the request was carried out before you repeat it: it reached the API, and the answer was lost.',
  },
  upstream_busy: {
    status: 503,
    metBy: 'protected API',
    headers: ['Retry-After'],
    title: 'Too many requests wait for the API',
    detail: 'Repeat the request, newly signed, after the seconds that Retry-After says: nothing was done.',
  },
  upstream_timeout: {
    status: 504,
    metBy: 'protected API',
    title: 'The API did not answer in time',
    detail:
      'Find out whether the request was carried out before you repeat it: it reached the API, and may still be running.',
  },

  // The service cannot decide safely, so it refuses (fail closed).
  guard_unavailable: {
    status: 503,
    metBy: 'every request',
    title: 'The replay guard does not answer',
    detail: 'Repeat the request, newly signed, after the seconds that Retry-After says.',
  },
  guard_full: {
    status: 503,
    metBy: 'every request',
    title: 'The replay guard is full',
    detail:
      'Send fewer requests, and repeat this one, newly signed, after the seconds that Retry-After says.',
  },
  recently_restarted: {
    status: 503,
    metBy: 'every request',
    title: 'The service has just restarted',
    detail:
      'Repeat the request, newly signed, after the seconds that Retry-After says: signatures from before the restart are refused.',
  },
  registry_stale: {
    status: 503,
    metBy: 'every request',
    title: 'The registry of clients is out of date',
    detail: 'Repeat the request, newly signed, after the seconds that Retry-After says.',
  },
  storage_unavailable: {
    status: 503,
    metBy: 'every request',
    title: 'The storage does not answer',
    detail: 'Repeat the request, newly signed, after the seconds that Retry-After says.',
  },
  outcome_unknown: {
    status: 500,
    metBy: 'every request',
    title: 'Nobody knows whether it was done',
    detail:
      'Repeat the request, newly signed, with the same Idempotency-Key or If-Match; without either, read first what is there.',
  },
  shutting_down: {
    status: 503,
    metBy: 'every request',
    title: 'The service is stopping',
    detail: 'Repeat the request, newly signed, on a new connection.',
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
    title: 'The service made a mistake',
    detail: 'Tell the operator of this service the requestId of this answer.',
  },
} as const;

/** The code of a refusal. Programs match on it: titles and details may change, codes do not. */
export type ProblemCode = keyof typeof table;

export const problems: Readonly<Record<ProblemCode, Problem>> = table;

const codes = Object.keys(table) as readonly ProblemCode[];

/** The codes that requests of one kind meet, in the order of the table. */
export function problemCodesMetBy(kind: NonNullable<Problem['metBy']>): readonly ProblemCode[] {
  return codes.filter((code) => problems[code].metBy === kind);
}

/** Whether a code refuses a request for its signature, and so a caller that has not proved who it is. */
export function isSignatureProblem(code: ProblemCode): boolean {
  const { status, metBy } = problems[code];
  return status === 401 && metBy === 'every request';
}

const answersBeside: readonly ProblemCode[] = ['body_invalid', 'query_invalid'];

/**
 * The codes of answers to requests that passed every check, such as an ordinary 404: the caller was accepted, and only what
 * it asked for was wrong.
 */
export const answerCodes: readonly ProblemCode[] = codes.filter((code) => {
  const { status, check, metBy } = problems[code];
  if (status >= 500 || check !== undefined || code === 'too_many_attempts') return false;
  return metBy === undefined || metBy === 'idempotency key' || answersBeside.includes(code);
});

/** Whether a text is a code of this version. A newer service may have more. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(table, text);
}

/** A check of the profile with the codes that it refuses with. */
export interface ProfileCheck {
  /** Its place in the order of the profile, from 1. */
  readonly number: number;
  readonly name: ProfileCheckName;
  readonly codes: readonly ProblemCode[];
}

const checkNames = new Set(codes.flatMap((code) => problems[code].check ?? []));

/** The checks of profile section 2.1, in their order: the first that fails answers. */
export const profileChecks: readonly ProfileCheck[] = [...checkNames].map((name, index) => ({
  number: index + 1,
  name,
  codes: codes.filter((code) => problems[code].check === name),
}));
