/** A check of the profile, of a session or of forwarding, and the edit that removes it. */
export interface Removal {
  /** Its number in docs/profile.md section 2.1, or `session` or `forwarding`, and its name. */
  readonly check: string;
  readonly file: string;
  /** Must occur exactly once. */
  readonly text: string;
  readonly replacement: string;
}

const framing = 'packages/gate/src/http/framing.ts';
const checks = 'packages/signature/src/profile/checks.ts';
const fields = 'packages/signature/src/profile/signature-fields.ts';
const findKey = 'packages/signature/src/platform/find-key.ts';
const gate = 'packages/gate/src/gate.ts';
const body = 'packages/gate/src/http/body.ts';
const sessionChecks = 'packages/server/src/people/sessions/session-checks.ts';
const sameOrigin = 'packages/server/src/people/sessions/same-origin.ts';
const forwardedHeaders = 'packages/gate/src/proxy/forwarded-headers.ts';
const returnedHeaders = 'packages/gate/src/proxy/returned-headers.ts';
const upstream = 'packages/gate/src/proxy/upstream.ts';
const connector = 'packages/gate/src/proxy/upstream-connector.ts';
const relay = 'packages/gate/src/proxy/relay.ts';
const routeTable = 'packages/gate/src/routes/route-table.ts';
const guard = 'packages/signature/src/replay/replay-guard.ts';
const tunnel = 'packages/gate/src/proxy/tunnel.ts';
const upgrades = 'packages/gate/src/proxy/upgrades.ts';
const earlyBytes = 'packages/gate/src/proxy/early-bytes.ts';
const crossOrigin = 'packages/gate/src/proxy/cross-origin.ts';

/** Every check, removed in the simplest way; a check of several rules has an entry for each. */
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
    text: 'const base = baseUrls.find(host);',
    replacement:
      'const base = baseUrls.find(host) ?? { url: `https://${host}`, door: baseUrls.find("api.example.test")!.door };',
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
    text: "if (!visibleAscii.test(originForm)) return malformed('the target has characters that URLs cannot have');",
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
    file: checks,
    text: 'run: checkPresence }',
    replacement: 'run: () => undefined }',
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
    file: checks,
    text: 'if (!isVisibleAscii(keyid.value, profileLimits.keyidLengthMax))',
    replacement: 'if (false)',
  },
  {
    check: '4 parameters: nonce only by setting',
    file: checks,
    text: "if (nonce ? policy === 'off' : policy === 'required')",
    replacement: 'if (false)',
  },
  {
    check: '4 parameters: no other ones',
    file: checks,
    text: 'if (unknown.length > 0)',
    replacement: 'if (false)',
  },
  {
    check: '5 algorithm',
    file: checks,
    text: 'run: checkAlgorithm }',
    replacement: 'run: () => undefined }',
  },
  {
    check: '6 components',
    file: checks,
    text: 'if (list && (hasBody === undefined || hasBody === list.coversContentDigest)) {\n    examination.components = list;',
    replacement: '{\n    examination.components = list ?? defaultProfile.listFor(true);',
  },
  {
    check: '6 components: without date by the client record only',
    file: checks,
    text: 'if (lists.has(components.text)) return undefined;',
    replacement: 'if (client !== undefined) return undefined;',
  },
  {
    check: '7 time of created',
    file: checks,
    text: 'run: checkCreated,',
    replacement: 'run: () => undefined,',
  },
  { check: '7 form of Date', file: checks, text: 'if (seconds === undefined)', replacement: 'if (false)' },
  {
    check: '7 Date near created',
    file: checks,
    text: 'if (!(apart <= rules.window.maxDateDifferenceSeconds))',
    replacement: 'if (false)',
  },
  {
    check: '8 signature: the algorithm of the key',
    file: findKey,
    text: 'key.algorithm === trial.algorithm && ',
    replacement: '',
  },
  {
    check: '8 signature',
    file: checks,
    text: 'if (keyIndex < 0)',
    replacement: 'if (keyIndex < -1)',
  },
  {
    check: '9 client is active',
    file: checks,
    text: 'run: ({ client }, { standing }) => standing?.checkActive(client!),',
    replacement: 'run: () => undefined,',
  },
  {
    check: '10 network',
    file: checks,
    text: 'run: ({ client }, { standing }) => standing?.checkNetwork(client!),',
    replacement: 'run: () => undefined,',
  },
  {
    check: '11 permission',
    file: checks,
    text: 'run: ({ client }, { standing }) => standing?.checkPermission(client!),',
    replacement: 'run: () => undefined,',
  },
  {
    check: '12 announced size of the body',
    file: gate,
    text: 'if (head?.contentLength !== undefined && head.contentLength > bodyBytesMax) return tooLarge;',
    replacement: '',
  },
  {
    check: '12 received size of the body',
    file: body,
    text: 'if (length <= bytesMax) return;',
    replacement: 'if (length >= 0) return;',
  },
  {
    check: '12 digest of the body',
    file: checks,
    text: 'if (actual === contentDigest) return undefined;',
    replacement: 'if (actual !== undefined) return undefined;',
  },
  {
    check: '12 a body whose digest is not covered',
    file: checks,
    text: 'return body.length === 0\n',
    replacement: 'return body.length >= 0\n',
  },
  {
    check: '13 replay',
    file: checks,
    text: 'run: (examination, means) => means.useSignature(examination),',
    replacement: 'run: () => undefined,',
  },
  {
    check: 'session: the cookie names one',
    file: sessionChecks,
    text: "if (session === undefined) return refuse('session_required', 'the cookie does not name a session'); // 1",
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
    text: "if (from !== undefined && !ownOrigins.has(from)) return 'Origin is not an origin of this service';",
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
    text: "if (access === undefined)\n    return { ...refuse('not_found', 'the person does not belong to the account'), userId }; // 3",
    replacement: 'if (access === undefined) return { ok: true, session, access: undefined! };',
  },
  {
    check: 'session: the network',
    file: sessionChecks,
    text: 'if (isAllowedFrom(source.address)) return undefined;',
    replacement: 'if (isAllowedFrom !== undefined) return undefined;',
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
    text: "if (operation === undefined || isPermitted(operation, parameters, { kind: 'person', userId }, permissions))",
    replacement: 'if (permissions !== undefined)',
  },
  {
    check: 'session: the fresh proof',
    file: sessionChecks,
    text: 'if (operation?.needsStepUp !== true) return undefined;',
    replacement: 'if (nowMs !== -1) return undefined;',
  },
  {
    check: 'forwarding: fields that claim another sender do not pass',
    file: forwardedHeaders,
    text: 'if (notForwarded.has(plain) || notForwardedPrefixes.some((prefix) => plain.startsWith(prefix)))',
    replacement: "if (plain === 'host' || plain === 'transfer-encoding' || plain === 'content-length')",
  },
  {
    check: 'forwarding: fields of the gateway do not pass',
    file: forwardedHeaders,
    text: "if (plain.startsWith(identityPrefix)) return 'ours';",
    replacement: '',
  },
  {
    check: 'forwarding: spellings that servers fold are one name',
    file: forwardedHeaders,
    text: "return name.toLowerCase().replace(/[^a-z0-9]/g, '-');",
    replacement: 'return name.toLowerCase();',
  },
  {
    check: 'forwarding: an alias does not stand beside its name',
    file: forwardedHeaders,
    text: "if (kind === 'spelled otherwise' && hasPlainSpelling(rawHeaders, name)) continue;",
    replacement: '',
  },
  {
    check: 'forwarding: Connection names no signed field',
    file: forwardedHeaders,
    text: "if (endToEnd.test(name) || kindOf(name) === 'ours') return name;",
    replacement: '',
  },
  {
    check: 'forwarding: a body that may be left ends its connection',
    file: upstream,
    text: 'const isLast = mayLeaveBody(method, body) || settings.keepAliveSeconds === 0;',
    replacement: 'const isLast = settings.keepAliveSeconds === 0;',
  },
  {
    check: 'forwarding: nothing is repeated but GET and HEAD',
    file: upstream,
    text: '!isRepeated && isRepeatable(request.method) && attempt.isConnectionLost',
    replacement: '!isRepeated && attempt.isConnectionLost',
  },
  {
    check: 'forwarding: nothing is repeated twice',
    file: upstream,
    text: 'isRepeated ||= attempt.hasLeft;',
    replacement: 'isRepeated ||= index > 3;',
  },
  {
    check: 'forwarding: nothing is repeated once an answer has begun',
    file: upstream,
    text: 'this.isConnectionLost = !this.#hasAnswerBegun && lostConnectionCodes.has(codeOf(error));',
    replacement: 'this.isConnectionLost = lostConnectionCodes.has(codeOf(error));',
  },
  {
    check: 'forwarding: an answer that ends with a reset is cut',
    file: upstream,
    text: 'if (this.connection?.isBroken) this.#relay?.break();',
    replacement: 'if (this.connection?.isBroken && this.#isOver) this.#relay?.break();',
  },
  {
    check: 'forwarding: trailers end their connection',
    file: upstream,
    text: 'if (this.#isEarly || hasTrailers)',
    replacement: 'if (this.#isEarly || (hasTrailers && this.#isOver))',
  },
  {
    check: 'forwarding: interim answers are limited',
    file: upstream,
    text: 'if (this.#interimAnswers > interimAnswersMax)',
    replacement: 'if (this.#interimAnswers > interimAnswersMax + 1000)',
  },
  {
    check: 'forwarding: nobody waits beyond the queue',
    file: upstream,
    text: 'if (this.#waiting >= waitingMax)',
    replacement: 'if (this.#waiting > waitingMax + 1000)',
  },
  {
    check: 'forwarding: a slow client holds the upstream back',
    file: relay,
    text: '} else if (!this.#response.write(chunk)) this.#source.pause();',
    replacement: '} else this.#response.write(chunk);',
  },
  {
    check: 'forwarding: an answer in another coding is refused',
    file: returnedHeaders,
    text: "(hasCoding || value.toLowerCase() !== 'chunked')",
    replacement: 'hasCoding && !hasCoding',
  },
  {
    check: 'forwarding: names do not lead to metadata services',
    file: connector,
    text: 'if (isIP(plain) === 0 || neverAnUpstream.check(plain, family))',
    replacement: 'if (isIP(plain) === 0)',
  },
  {
    check: 'forwarding: names do not lead to this machine',
    file: connector,
    text: 'if (thisMachine.check(plain, family) &&',
    replacement: "if (plain === '127.0.0.1' &&",
  },
  {
    check: 'forwarding: ambiguous paths',
    file: routeTable,
    text: 'if (reason !== undefined) return `some servers read this path differently: ${reason}`;',
    replacement: '',
  },
  {
    check: 'forwarding: paths with another route for a tolerant server',
    file: routeTable,
    text: 'if (!tolerant.has(leaf))',
    replacement: 'if (leaf === undefined)',
  },
  {
    check: 'forwarding: paths that match two routes, neither of them narrower',
    file: routeTable,
    text: 'const isDisputed = others.some((other) => asksElse(other, rule, method));',
    replacement: 'const isDisputed = false;',
  },
  {
    check: 'forwarding: paths that a tolerant server takes for one of two routes',
    file: routeTable,
    text: 'return isDisputed ? severalRoutes : undefined;',
    replacement: 'return undefined;',
  },
  {
    check: 'forwarding: an upgrade is no equal read',
    file: guard,
    text: 'return !asksToSwitch && ',
    replacement: 'return ',
  },
  {
    check: 'forwarding: no upgrade in HTTP/1.0',
    file: gate,
    text: "if (httpVersion !== '1.1') return false;",
    replacement: '',
  },
  {
    check: 'forwarding: only the protocols of the route',
    file: upgrades,
    text: 'return asked === undefined || upgrades.includes(asked) ? undefined : asked;',
    replacement: 'return undefined;',
  },
  {
    check: 'forwarding: an upgrade needs the permission to write',
    file: routeTable,
    text: 'const isRead = safeMethods.has(method) && upgrades.length === 0;',
    replacement: 'const isRead = safeMethods.has(method);',
  },
  {
    check: 'forwarding: the API switches to the protocol that was asked for',
    file: returnedHeaders,
    text: 'if (protocols[0]!.trim().toLowerCase() !== asked) return undefined;',
    replacement: '',
  },
  {
    check: 'forwarding: a tunnel ends with the rights of its client',
    file: tunnel,
    text: 'if (!(await isAdmitted())) tunnel.abandon();',
    replacement: 'await isAdmitted();',
  },
  {
    check: 'forwarding: what comes before the request is no answer',
    file: earlyBytes,
    text: 'return socket.readableLength > 0;',
    replacement: 'return false;',
  },
  {
    check: 'forwarding: only pages of listed origins may call',
    file: crossOrigin,
    text: "origins.has('*') ? '*' : origins.has(origin) ? origin : undefined",
    replacement: "origins.has('*') ? '*' : origin",
  },
];
