/** One check of the profile or of a session, and the change to the source that takes it out. */
export interface Removal {
  /** The number of the check in docs/profile.md section 2.1, or `session`, and what it is. */
  readonly check: string;
  readonly file: string;
  /** Source text that occurs exactly once. */
  readonly text: string;
  readonly replacement: string;
}

const framing = 'packages/gate/src/http/framing.ts';
const presented = 'packages/signature/src/profile/presented-signature.ts';
const fields = 'packages/signature/src/profile/signature-fields.ts';
const verification = 'packages/signature/src/profile/verification.ts';
const checks = 'packages/gate/src/decision/checks.ts';
const sessionChecks = 'packages/server/src/access/session-checks.ts';
const sameOrigin = 'packages/server/src/access/same-origin.ts';
const gateway = 'packages/server/src/gateway.ts';
const body = 'packages/gate/src/http/body.ts';

/** Every check, removed in the plainest way. A check that consists of several rules is here once for each. */
export const removals: readonly Removal[] = [
  {
    check: '1 framing: one Host',
    file: framing,
    text: 'if (hosts.length !== 1)',
    replacement: 'if (hosts.length === 0)',
  },
  {
    check: '1 framing: a host of ours',
    file: framing,
    text: "if (targetUri === undefined) return malformed('the Host header does not name this service');",
    replacement:
      'if (targetUri === undefined) return { ok: true, method, targetUri: `https://${host}${originForm}`, path: originForm, query: "", hasBody: false, contentLength: 0 };',
  },
  {
    check: '1 framing: no fragment',
    file: framing,
    text: "if (originForm.includes('#')) return malformed('the target has a fragment');",
    replacement: '',
  },
  {
    check: '1 framing: visible ASCII in the target',
    file: framing,
    text: "if (!visibleAscii.test(originForm)) return malformed('the target has characters that a URL cannot have');",
    replacement: '',
  },
  {
    check: '1 framing: length of the target',
    file: framing,
    text: 'if (target.length > headLimits.targetBytesMax)',
    replacement: 'if (false)',
  },
  {
    check: '1 framing: number of header lines',
    file: framing,
    text: 'if (rawHeaders.length > headLimits.headerLinesMax * 2)',
    replacement: 'if (false)',
  },
  {
    check: '2 presence of the two fields',
    file: presented,
    text: 'if (missing) return missing;',
    replacement: '',
  },
  {
    check: '3 canonical text of Signature-Input',
    file: fields,
    text: 'if (serializeDictionary(members) !== text) return undefined;',
    replacement: '',
  },
  {
    check: '3 exactly the member sig',
    file: fields,
    text: 'members.size !== 1 || ',
    replacement: '',
  },
  {
    check: '4 parameters: a keyid of visible characters',
    file: presented,
    text: 'if (!isVisibleAscii(keyid.value, profileLimits.keyidLengthMax))',
    replacement: 'if (false)',
  },
  {
    check: '4 parameters: nonce only by setting',
    file: presented,
    text: "if (nonce ? policy === 'off' : policy === 'required')",
    replacement: 'if (false)',
  },
  {
    check: '4 parameters: no other ones',
    file: presented,
    text: 'if (unknown.length > 0)',
    replacement: 'if (false)',
  },
  {
    check: '5 algorithm',
    file: presented,
    text: 'if (wrongAlgorithm) return wrongAlgorithm;',
    replacement: '',
  },
  {
    check: '6 components',
    file: presented,
    text: 'if (list && (hasBody === undefined || hasBody === list.coversContentDigest)) return { ok: true, list };',
    replacement: 'return { ok: true, list: list ?? componentLists[0]! };',
  },
  {
    check: '6 components: without date by the client record only',
    file: checks,
    text: 'checkDateCovered(presented, client.acceptWithoutDate) ?? // 6, for signers without "date"',
    replacement: '',
  },
  { check: '7 time of created', file: presented, text: 'if (untimely) return untimely;', replacement: '' },
  { check: '7 form of Date', file: presented, text: 'if (seconds === undefined)', replacement: 'if (false)' },
  {
    check: '7 Date near created',
    file: presented,
    text: 'if (apart > window.maxDateDifferenceSeconds)',
    replacement: 'if (false)',
  },
  {
    check: '8 signature',
    file: checks,
    text: 'const key = keys[findVerifyingKey(keys, base, presented.signature)];',
    replacement: 'const key = keys[Math.max(0, findVerifyingKey(keys, base, presented.signature))];',
  },
  { check: '9 client is active', file: checks, text: 'checkActive(client) ?? // 9', replacement: '' },
  { check: '10 network', file: checks, text: 'checkNetwork(client, attempt) ?? // 10', replacement: '' },
  {
    check: '11 permission',
    file: checks,
    text: 'checkPermission(client, attempt); // 11',
    replacement: 'undefined;',
  },
  {
    check: '12 announced size of the body',
    file: gateway,
    text: 'if (frame.contentLength !== undefined && frame.contentLength > parts.bodyBytesMax)',
    replacement: 'if (false)',
  },
  {
    check: '12 received size of the body',
    file: body,
    text: "if (length > bodyBytesMax) return done({ outcome: 'too-large' });",
    replacement: '',
  },
  {
    check: '12 digest of the body',
    file: verification,
    text: 'if (actual === contentDigest) return undefined;',
    replacement: 'return undefined;',
  },
  {
    check: '12 a body whose digest is not covered',
    file: verification,
    text: 'return bodyBytes === 0\n',
    replacement: 'return true\n',
  },
  {
    check: '13 replay',
    file: checks,
    text: 'const used = guard.use(usedSignature(presented, attempt.method), attempt.nowSeconds);',
    replacement: 'const used = undefined as Refusal | Promise<Refusal> | undefined;',
  },
  {
    check: 'session: the cookie names one',
    file: sessionChecks,
    text: "if (session === undefined) return deny('session_required', 'the cookie names no session'); // 1",
    replacement: 'if (session === undefined) return { ok: true, session: session!, access: undefined! };',
  },
  {
    check: 'session: the request comes from a page of this service',
    file: sessionChecks,
    text: 'if (origin) return { ...origin, userId };',
    replacement: '',
  },
  {
    check: 'session: Sec-Fetch-Site',
    file: sameOrigin,
    text: "if (site !== undefined && site !== 'same-origin' && !(isReading && site === 'none'))",
    replacement: 'if (false)',
  },
  {
    check: 'session: Origin',
    file: sameOrigin,
    text: "if (from !== undefined && !ownOrigins.has(from)) return 'Origin is not one of this service';",
    replacement: '',
  },
  {
    check: 'session: an origin with each change',
    file: sameOrigin,
    text: "if (from === undefined) return 'Origin is missing';",
    replacement: '',
  },
  {
    check: 'session: our header with each change',
    file: sameOrigin,
    text: "return countersignCsrf[0] === '1' ? undefined : 'Countersign-CSRF: 1 is missing';",
    replacement: 'return undefined;',
  },
  {
    check: 'session: the account is one of the person',
    file: sessionChecks,
    text: "if (access === undefined) return { ...deny('not_found', 'the account is not one of the person'), userId }; // 3",
    replacement: 'if (access === undefined) return { ok: true, session, access: undefined! };',
  },
  {
    check: 'session: its age',
    file: sessionChecks,
    text: 'if (sessionHoursMax === undefined || nowMs < startedAtMs + sessionHoursMax * 3_600_000) return undefined;',
    replacement: 'if (sessionHoursMax !== -1) return undefined;',
  },
  {
    check: 'session: the second factor',
    file: sessionChecks,
    text: 'if (!isSecondFactorRequired) return undefined;',
    replacement: 'if (isSecondFactorRequired !== undefined) return undefined;',
  },
  {
    check: 'session: the second factor, given in this session',
    file: sessionChecks,
    text: 'if (provedAtMs > 0) return undefined;',
    replacement: 'if (provedAtMs >= 0) return undefined;',
  },
  {
    check: 'session: the permission',
    file: sessionChecks,
    text: 'if (operation === undefined || isPersonPermitted({ operation, parameters, userId }, permissions))',
    replacement: 'if (permissions !== undefined)',
  },
  {
    check: 'session: the fresh proof',
    file: sessionChecks,
    text: 'if (operation?.needsStepUp !== true) return undefined;',
    replacement: 'if (nowMs !== -1) return undefined;',
  },
];
