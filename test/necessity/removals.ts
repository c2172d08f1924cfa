/** One check of the profile, and the change to the source that takes it out. */
export interface Removal {
  /** The number of the check in docs/profile.md section 2.1, and what it is. */
  readonly check: string;
  readonly file: string;
  /** Source text that occurs exactly once. */
  readonly text: string;
  readonly replacement: string;
}

const framing = 'packages/server/src/http/framing.ts';
const presented = 'packages/signature/src/presented-signature.ts';
const fields = 'packages/signature/src/signature-fields.ts';
const verification = 'packages/signature/src/verification.ts';
const checks = 'packages/server/src/access/checks.ts';
const gateway = 'packages/server/src/gateway.ts';
const body = 'packages/server/src/http/body.ts';

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
];
