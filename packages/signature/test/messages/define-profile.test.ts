import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import {
  type BoundPart,
  defineProfile,
  messageProfiles,
  type MessageProfile,
  profilePage,
} from '../../src/on-web/messages.ts';

/** A profile with every member. */
const whole: MessageProfile = {
  id: 'whole-1.0',
  title: 'A profile with every member',
  source: 'https://profiles.example/whole',
  notes: ['Signed by nobody.'],
  message: 'request',
  select: { label: 'sig', tag: ['one', 'two'], untagged: false, complete: true },
  components: {
    required: [
      { identifier: ['@method', '"x-method";sf'] },
      { identifier: '@target-uri', when: 'always' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: 'signature-agent', anyKey: true, when: 'present' },
      { identifier: 'idempotency-key', when: { methods: ['POST'] } },
    ],
    others: 'any',
    order: 'free',
  },
  parameters: {
    created: 'required',
    expires: 'allowed',
    keyid: 'required',
    nonce: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519', 'PS256'],
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60, maxLifeSeconds: 300, expiresGraceSeconds: 5 },
  replay: 'nonce',
  nonceLength: { min: 16, max: 64 },
  digests: ['sha-256', 'sha-512'],
  fieldTypes: { 'x-method': 'item' },
};

/** Returns the problems that `defineProfile` lists; none for a profile that it accepts. */
function problemsOf(profile: unknown): readonly string[] {
  try {
    defineProfile(profile as MessageProfile);
  } catch (error) {
    assert.ok(error instanceof TypeError, `a TypeError, not ${String(error)}`);
    const lines = error.message.split('\n');
    return lines.length === 1 ? lines : lines.slice(1);
  }
  return [];
}

/** Fails unless each of these texts is in a problem of its own. */
function assertProblems(profile: unknown, texts: readonly string[], what: string = 'problems'): void {
  const left = [...problemsOf(profile)];
  for (const text of texts) {
    const found = left.findIndex((problem) => problem.includes(text));
    assert.ok(found >= 0, `${what}: ${text} is none of\n${problemsOf(profile).join('\n') || 'no problems'}`);
    left.splice(found, 1);
  }
}

/** The whole profile with other members. */
function changed(members: object): unknown {
  return { ...whole, ...members };
}

/** The whole profile with rules instead of its own, free of what they must fit. */
function withRules(...required: readonly unknown[]): unknown {
  return changed({ components: { required, others: 'any' } });
}

test('a profile that is no object is refused', () => {
  for (const profile of [undefined, null, 'curl', 5, true, [], [whole]])
    assertProblems(profile, ['not an object']);
});

/** For each member, values that it cannot have, apart from those that none can have. */
const wrongValues: Readonly<Record<keyof MessageProfile, readonly unknown[]>> = {
  id: ['Upper', 'with space', '-dash', 'a'.repeat(65), 'é'],
  title: [],
  source: [],
  message: ['REQUEST', 'both', 'toString'],
  notes: [[''], [5], [null], 'a note'],
  select: [
    { label: '' },
    { label: 5 },
    { label: null },
    { untagged: 'true' },
    { complete: 1 },
    { other: true },
    { toString: 'x' },
  ],
  components: [
    {},
    { required: [] },
    { others: 'any' },
    { required: {}, others: 'any' },
    { required: null, others: 'any' },
    { required: [], others: 'all' },
    { required: [], others: null },
    { required: [], others: 'any', order: 'sorted' },
    { required: [], others: 'any', order: null },
    { required: [], others: 'any', more: true },
  ],
  parameters: [
    { created: true },
    { created: null },
    { created: 'optional' },
    { keyId: 'required' },
    { constructor: 'required' },
    { toString: 'allowed' },
    JSON.parse('{"__proto__": "required"}'),
    JSON.parse('{"__proto__": null}'),
  ],
  algorithms: [
    [],
    'ed25519',
    ['rsa-pss-sha256'],
    ['ed25519', 'EdDSA'],
    ['toString'],
    ['__proto__'],
    [null],
    [['ed25519']],
    { 0: 'ed25519', length: 1 },
  ],
  time: [
    { maxAgeSeconds: '300' },
    { maxAgeSeconds: null },
    { maxAgeSeconds: -1 },
    { maxAgeSeconds: 1.5 },
    { maxAgeSeconds: Number.NaN },
    { maxFutureSeconds: Number.POSITIVE_INFINITY },
    { maxLifeSeconds: 5n },
    { expiresGraceSeconds: [] },
    { neverExpires: 'no' },
    { neverExpires: null },
    { maxAge: 300 },
    JSON.parse('{"__proto__": 300}'),
  ],
  replay: ['none', 'nonce or', 'constructor'],
  nonceLength: [
    {},
    { min: 1 },
    { max: 1 },
    { min: 2, max: 1 },
    { min: -1, max: 1 },
    { min: '1', max: '2' },
    { min: 1, max: Number.POSITIVE_INFINITY },
    { min: 1, max: 2, more: 3 },
  ],
  digests: ['sha-256', ['sha256'], ['sha-256', 'md5'], ['toString'], [null]],
  fieldTypes: [
    { 'x-method': 'map' },
    { 'x-method': null },
    { 'x-method': 'toString' },
    JSON.parse('{"__proto__": "map"}'),
  ],
};

const required: ReadonlySet<string> = new Set([
  'id',
  'title',
  'message',
  'components',
  'parameters',
  'algorithms',
  'time',
  'replay',
]);
const listed: ReadonlySet<string> = new Set(['notes', 'digests']);
const open: ReadonlySet<string> = new Set(['select', 'fieldTypes', 'parameters', 'time']);

describe('a member with a wrong value is refused by its name', () => {
  for (const [name, values] of Object.entries(wrongValues)) {
    test(name, () => {
      const never: unknown[] = [null, '', 0, 5, true, false, 5n, new Date(0)];
      if (!listed.has(name)) never.push([], [null]);
      if (!open.has(name)) never.push({});
      if (required.has(name)) never.push(undefined);
      const isRecordOfAll = open.has(name);
      for (const value of [...never.filter((one) => !(isRecordOfAll && one instanceof Date)), ...values]) {
        const profile = changed({ [name]: value });
        assertProblems(profile, [`"${name}`], `${name}: ${inspect(value)}`);
        assert.equal(problemsOf(profile).length, 1);
      }
    });
  }

  test('a required one that is not there', () => {
    for (const name of required) {
      const { [name as keyof MessageProfile]: _, ...others } = whole;
      assertProblems(others, [`"${name}"`]);
    }
  });

  test('one that means nothing', () => {
    for (const name of ['maxAge', 'ID', 'constructor', 'toString', 'hasOwnProperty'])
      assertProblems(changed({ [name]: true }), [`"${name}"`]);
    const profile: unknown = JSON.parse(JSON.stringify(whole).replace('{', '{"__proto__":{"id":"other"},'));
    assertProblems(profile, ['"__proto__"']);
  });

  test('one that cannot be copied', () => {
    for (const value of [() => 'text', Symbol('text')])
      assert.notDeepEqual(problemsOf(changed({ title: value })), []);
  });
});

describe('a rule for a component is refused', () => {
  test('that is no object', () => {
    for (const rule of [null, 5, '@method', ['@method'], true]) assertProblems(withRules(rule), ['rule']);
  });

  test('without an identifier', () => {
    for (const rule of [
      {},
      { identifier: '' },
      { identifier: null },
      { identifier: 5 },
      { identifier: {} },
      { identifier: ['@method', ''] },
      { identifier: ['@method', null] },
      { identifier: [['@method']] },
    ])
      assertProblems(withRules(rule), ['identifier']);
    assertProblems(withRules({ identifier: [] }), ['identifier']);
  });

  test('with another member, or one of another type', () => {
    for (const others of [
      { when: 'never' },
      { when: null },
      { when: {} },
      { when: { methods: [] } },
      { when: { methods: 'POST' } },
      { when: { methods: ['POST'], more: true } },
      { when: ['body'] },
      { when: 'toString' },
      { anyKey: 'true' },
      { anyKey: null },
      { anykey: true },
      { toString: true },
    ]) {
      const rule = { identifier: 'x', ...others };
      assertProblems(withRules(rule), ['rule']);
    }
  });

  test('with something else than the names of methods: such a rule would never apply', () => {
    for (const methods of [[null], [5], [''], [['POST']], ['POST', null], ['two words']])
      assert.notDeepEqual(
        problemsOf(withRules({ identifier: '@method' }, { identifier: 'x', when: { methods } })),
        [],
        JSON.stringify(methods),
      );
  });

  for (const [identifier, problem] of [
    ['toString', 'lower case'],
    ['Date', 'lower case'],
    ['with space', 'lower case'],
    ['@toString', 'is not a derived component'],
    ['@constructor', 'is not a derived component'],
    ['@__proto__', 'is not a derived component'],
    ['@body', 'is not a derived component'],
    ['@status', 'needs a response'],
    ['"@method";req', 'needs a response'],
    ['"date";req', 'needs a response'],
    ['@signature-params', 'is always signed'],
    ['signature-input', 'would sign itself'],
    ['@query-param', 'lacks the parameter'],
    ['"@method";sf', 'parameter'],
    ['"@method";name="x"', 'parameter'],
    ['"x";name="x"', 'parameter'],
    ['"x";other', 'parameter'],
    ['"x";constructor', 'parameter'],
    ['"x";sf=?0', 'of another type'],
    ['"x";key=token', 'of another type'],
    ['"x-method";bs;sf', 'at once'],
    ['"x";bs;key="a"', 'at once'],
    ['"x', 'is not a component identifier'],
    ['"x" "y"', 'is not a component identifier'],
  ] as const)
    test(`with the identifier ${identifier}`, () => {
      assertProblems(withRules({ identifier }), [problem]);
      assertProblems(withRules({ identifier: ['@method', identifier] }), [problem]);
    });

  test('with any key of what has a key, or can have none', () => {
    for (const identifier of ['@method', '"@query-param";name="x"', '"x";key="a"'])
      assertProblems(withRules({ identifier, anyKey: true }), ['cannot have any key']);
  });

  for (const [identifier, problem] of [
    ['@method', 'is part of a request'],
    ['@target-uri', 'is part of a request'],
    ['"@status";req', 'needs a response'],
  ] as const)
    test(`of a response, with the identifier ${identifier}`, () => {
      const response = { message: 'response', components: { required: [{ identifier }], others: 'any' } };
      assertProblems(changed(response), [problem]);
    });

  test('whose name only looks like something inherited, is accepted as a field', () => {
    for (const identifier of ['__proto__', 'constructor', 'hasownproperty', '"__proto__";key="__proto__"'])
      assert.deepEqual(problemsOf(withRules({ identifier })), []);
  });
});

/** What members say together. */
const contradictions: readonly (readonly [what: string, profile: unknown, problems: readonly string[]])[] = [
  [
    'a component twice',
    withRules({ identifier: '@method' }, { identifier: '"@method"' }),
    ['a component is required twice'],
  ],
  [
    'a component twice, with its parameters in another order',
    withRules({ identifier: '"x";key="a";tr' }, { identifier: ['y', '"x";tr;key="a"'] }),
    ['a component is required twice'],
  ],
  [
    'a fixed order with others',
    changed({ components: { required: [{ identifier: '@method' }], others: 'any', order: 'fixed' } }),
    ['a fixed order leaves no place for others'],
  ],
  [
    'a fixed order with a choice',
    changed({
      components: { required: [{ identifier: ['@method', '@path'] }], others: 'none', order: 'fixed' },
    }),
    ['a fixed order leaves no choice between components'],
  ],
  [
    'a fixed order with any key',
    changed({
      components: { required: [{ identifier: 'x', anyKey: true }], others: 'none', order: 'fixed' },
    }),
    ['a fixed order leaves no choice between components'],
  ],
  ...['query' as const, { methods: ['POST'] }].map(
    (when) =>
      [
        `a response with a condition on its ${typeof when === 'string' ? when : 'method'}`,
        changed({
          message: 'response',
          components: { required: [{ identifier: '@status', when }], others: 'any' },
        }),
        ['a response has neither a query nor a method'],
      ] as const,
  ),
  ...['Sig', '1sig', 'si g', 'é'].map(
    (label) => [`the label ${label}`, changed({ select: { label } }), ['"select']] as const,
  ),
  ...[[], '', [''], ['one', null], 5, null, {}].map(
    (tag) => [`the tag ${JSON.stringify(tag)}`, changed({ select: { tag } }), ['"select']] as const,
  ),
  ...(
    [
      [{ tag: 'one' }, 'allowed'],
      [{ tag: 'one' }, undefined],
      [{ tag: 'one', untagged: true }, 'required'],
    ] as const
  ).map(
    ([select, tag]) =>
      [
        `${JSON.stringify(select)} with the parameter ${String(tag)}`,
        changed({ select, parameters: { ...whole.parameters, tag } }),
        ['"select.tag" needs the parameter "tag" to be required, or with "untagged" to be allowed'],
      ] as const,
  ),
  [
    'untagged without a tag',
    changed({ select: { untagged: true } }),
    ['"select.untagged" needs a "tag" beside it'],
  ],
  [
    'a maximum age without a required created',
    changed({
      parameters: { ...whole.parameters, created: 'allowed' },
      time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
    }),
    ['"maxAgeSeconds" needs the parameter "created" to be required'],
  ],
  [
    'created without a maximum lead',
    changed({ time: { maxAgeSeconds: 300 } }),
    ['"created" needs "maxFutureSeconds"'],
  ],
  [
    'a maximum life without expires',
    changed({
      parameters: { ...whole.parameters, expires: undefined },
      time: { maxAgeSeconds: 300, maxFutureSeconds: 60, maxLifeSeconds: 300 },
    }),
    ['"maxLifeSeconds" needs "created" to be required, and "expires"'],
  ],
  [
    'a grace without expires',
    changed({
      parameters: { ...whole.parameters, expires: undefined },
      time: { maxAgeSeconds: 300, maxFutureSeconds: 60, expiresGraceSeconds: 5 },
    }),
    ['"expiresGraceSeconds" needs the parameter "expires"'],
  ],
  [
    'signatures that never expire, unsaid',
    changed({ time: { maxFutureSeconds: 60 }, replay: 'off' }),
    ['a signature would never expire: require "expires", or set "maxAgeSeconds"'],
  ],
  [
    'signatures that never expire, with a guard',
    changed({ time: { maxFutureSeconds: 60, neverExpires: true } }),
    ['a replay guard would have to remember signatures forever'],
  ],
  [
    'neverExpires with a maximum age',
    changed({ time: { maxAgeSeconds: 300, maxFutureSeconds: 60, neverExpires: true } }),
    ['its signatures expire, whatever "neverExpires" says'],
  ],
  [
    'a replay by a nonce that is only allowed',
    changed({ parameters: { ...whole.parameters, nonce: 'allowed' } }),
    ['"replay" by the nonce needs the parameter "nonce" to be required'],
  ],
  [
    'a replay by a nonce that is not there',
    changed({ replay: 'nonce or base', parameters: { ...whole.parameters, nonce: undefined } }),
    ['"replay" names the nonce, which must not be there'],
  ],
  [
    'a required alg for an algorithm without a registered name',
    changed({ parameters: { ...whole.parameters, alg: 'required' } }),
    ['"alg" cannot be required: one of the algorithms has no registered name'],
  ],
  ...[undefined, []].map(
    (digests) =>
      [
        `a required digest without algorithms, ${JSON.stringify(digests) ?? 'undefined'}`,
        changed({ digests }),
        ['"content-digest" is required, but "digests" names no algorithm'],
      ] as const,
  ),
];

describe('a profile that contradicts itself is refused', () => {
  for (const [what, profile, problems] of contradictions)
    test(what, () => {
      assertProblems(profile, problems);
    });
});

describe('all problems are in one error', () => {
  test('of members', () => {
    assertProblems({ ...whole, id: 'NO', message: 'both', algorithms: [], time: null, extra: 1, more: 2 }, [
      '"extra"',
      '"more"',
      '"id"',
      '"message"',
      '"algorithms"',
      '"time"',
    ]);
    assert.equal(problemsOf({}).length, required.size);
  });

  test('of rules', () => {
    assertProblems(
      withRules(
        { identifier: ['Date', '@status'] },
        { identifier: 'x', when: 'never' },
        { identifier: [] },
        { identifier: '"@path";req' },
      ),
      ['lower case', '"@status" needs a response', 'never', 'no identifier', '"@path";req needs a response'],
    );
  });

  test('of members together', () => {
    assertProblems(
      {
        ...whole,
        select: { tag: [], untagged: true },
        components: {
          required: [{ identifier: ['content-digest', '@method'] }, { identifier: 'content-digest' }],
          others: 'any',
          order: 'fixed',
        },
        parameters: { created: 'allowed', alg: 'required' },
        time: { maxAgeSeconds: 1, maxLifeSeconds: 1, expiresGraceSeconds: 1, neverExpires: true },
        digests: [],
      },
      [
        'a component is required twice',
        'a fixed order leaves no place for others',
        'a fixed order leaves no choice between components',
        '"select.tag" is not a tag',
        '"select.tag" needs the parameter "tag"',
        '"maxAgeSeconds" needs the parameter "created"',
        '"created" needs "maxFutureSeconds"',
        '"maxLifeSeconds" needs "created"',
        '"expiresGraceSeconds" needs the parameter "expires"',
        '"neverExpires"',
        '"replay" by the nonce needs the parameter "nonce"',
        '"alg" cannot be required',
        '"content-digest" is required, but "digests" names no algorithm',
      ],
    );
  });
});

test('a profile with every member is accepted', () => {
  const { profile, rules, tags, binds, leavesOpen } = defineProfile(whole);
  assert.deepEqual(profile, whole);
  assert.deepEqual(tags, ['one', 'two']);
  assert.deepEqual(
    rules.map(({ identifiers, anyKey, when }) => [identifiers.map(({ text }) => text), anyKey, when]),
    [
      [['"@method"', '"x-method";sf'], false, 'always'],
      [['"@target-uri"'], false, 'always'],
      [['"content-digest"'], false, 'body'],
      [['"signature-agent"'], true, 'present'],
      [['"idempotency-key"'], false, { methods: ['POST'] }],
    ],
  );
  assert.deepEqual(binds, ['authority', 'path', 'query', 'body']);
  assert.deepEqual(leavesOpen, ['method']);
});

test('what the caller changes later has no effect', () => {
  const mutable = structuredClone(whole) as unknown as {
    id: string;
    select: { tag: string[] };
    components: { required: { identifier: unknown; when?: unknown }[]; others: string };
    parameters: Record<string, unknown>;
    algorithms: string[];
    time: Record<string, unknown>;
    digests: string[];
  };
  const defined = defineProfile(mutable as unknown as MessageProfile);
  const before = structuredClone({ ...defined, page: profilePage(defined) });
  mutable.id = 'other';
  mutable.select.tag.push('three');
  mutable.components.required[0]!.identifier = 'x';
  (mutable.components.required[4]!.when as { methods: string[] }).methods.push('GET');
  mutable.components.required.length = 1;
  mutable.components.others = 'none';
  mutable.parameters['created'] = 'allowed';
  mutable.algorithms.push('hmac-sha256');
  mutable.time['maxAgeSeconds'] = 1_000_000;
  mutable.digests.length = 0;
  assert.deepEqual({ ...defined, page: profilePage(defined) }, before);
});

/** What components of requests bind. */
const bindings: readonly (readonly [rules: readonly unknown[], binds: readonly BoundPart[]])[] = [
  [[], []],
  [[{ identifier: '@method' }], ['method']],
  [[{ identifier: '@authority' }], ['authority']],
  [[{ identifier: '@scheme' }], []],
  [[{ identifier: '@path' }], ['path']],
  [[{ identifier: '@query' }], ['query']],
  [[{ identifier: '@query', when: 'query' }], ['query']],
  [[{ identifier: '@query', when: 'body' }], []],
  [[{ identifier: '"@query-param";name="x"' }], []],
  [[{ identifier: '@request-target' }], []],
  [[{ identifier: '@target-uri' }], ['authority', 'path', 'query']],
  [[{ identifier: ['@target-uri', '@path'] }], ['path']],
  [[{ identifier: ['@target-uri', '@method'] }], []],
  [[{ identifier: '@method', when: { methods: ['GET', 'POST'] } }], []],
  [[{ identifier: 'content-digest' }], ['body']],
  [[{ identifier: 'content-digest', when: 'body' }], ['body']],
  [[{ identifier: 'content-digest', when: 'present' }], []],
  [[{ identifier: 'content-digest', when: { methods: ['POST'] } }], []],
  [[{ identifier: 'content-length' }], []],
];

describe('what a profile binds', () => {
  for (const [rules, binds] of bindings)
    test(`by the rules ${JSON.stringify(rules)}`, () => {
      assert.deepEqual(defineProfile(withRules(...rules) as MessageProfile).binds, binds);
    });

  test('is not the body of a request whose Content-Digest is in its trailers, as nobody compares it', () => {
    const profile = withRules({ identifier: '"content-digest";tr', when: 'body' });
    let binds: readonly BoundPart[] = [];
    // It may also be refused.
    if (problemsOf(profile).length === 0) ({ binds } = defineProfile(profile as MessageProfile));
    assert.deepEqual(binds, []);
  });
});

const shipped: Readonly<
  Record<
    keyof typeof messageProfiles,
    { readonly binds: readonly BoundPart[]; readonly leavesOpen: readonly BoundPart[] }
  >
> = {
  adcp32: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  agentPayments2025: { binds: ['authority', 'path'], leavesOpen: ['method', 'query', 'body'] },
  countersign: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  curl822: { binds: ['method', 'authority', 'path', 'query'], leavesOpen: ['body'] },
  fapi2Request01: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  fapi2Response01: { binds: ['status', 'body', 'request'], leavesOpen: [] },
  gnap: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  mastodon45: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  openPayments: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  ucpRequest2026: { binds: ['method', 'authority', 'path', 'query', 'body'], leavesOpen: [] },
  ucpResponse2026: { binds: ['status', 'body'], leavesOpen: ['request'] },
  webBotAuth01: { binds: ['authority'], leavesOpen: ['method', 'path', 'query', 'body'] },
  webBotAuth2025: { binds: ['authority'], leavesOpen: ['method', 'path', 'query', 'body'] },
};

describe('each profile that comes with the library', () => {
  test('is here', () => {
    assert.deepEqual(Object.keys(messageProfiles).toSorted(), Object.keys(shipped).toSorted());
    const ids = Object.values(messageProfiles).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  for (const [name, { binds, leavesOpen }] of Object.entries(shipped)) {
    const profile = messageProfiles[name as keyof typeof messageProfiles];

    test(`${name} is accepted, also as JSON`, () => {
      const defined = defineProfile(profile);
      assert.deepEqual(defined.binds, binds);
      assert.deepEqual(defined.leavesOpen, leavesOpen);
      assert.deepEqual(defineProfile(JSON.parse(JSON.stringify(profile)) as MessageProfile), defined);
    });

    test(`${name} has a page that says what it binds, leaves open and requires`, () => {
      const defined = defineProfile(profile);
      const page = profilePage(defined);
      assert.ok(page.startsWith(`## ${profile.id}\n\n${profile.title}.`));
      assert.ok(page.includes(`\nBinds: **${binds.join(', ')}**.`));
      if (leavesOpen.length === 0) assert.ok(!page.includes('Does not bind'));
      else
        assert.ok(
          page.includes(`Does not bind: **${leavesOpen.join(', ')}**; an intermediary can change these.`),
        );
      for (const text of [
        ...(profile.notes ?? []),
        ...(profile.source === undefined ? [] : [`<${profile.source}>`]),
        ...defined.rules.flatMap(({ identifiers }) => identifiers.map((identifier) => identifier.text)),
        ...(defined.tags ?? []).map((tag) => `\`${tag}\``),
        ...profile.algorithms.map((algorithm) => `\`${algorithm}\``),
        ...Object.entries(profile.parameters).map(([parameter, rule]) => `\`${parameter}\` ${rule}`),
        ...(profile.digests ?? []).map((digest) => `\`${digest}\``),
        ...Object.values(profile.time)
          .filter((value) => typeof value === 'number')
          .map((value) => `${value} s`),
      ])
        assert.ok(page.includes(text), text);
    });
  }

  test('has a page with each of its limits, as any profile has', () => {
    const page = profilePage(
      defineProfile({
        ...whole,
        time: { maxAgeSeconds: 301, maxFutureSeconds: 61, maxLifeSeconds: 302, expiresGraceSeconds: 7 },
        nonceLength: { min: 17, max: 65 },
      }),
    );
    for (const limit of [301, 61, 302, 7, 17, 65]) assert.match(page, new RegExp(`\\b${limit}\\b`));
  });

  test('that never expires says so on its page', () => {
    for (const profile of Object.values(messageProfiles)) {
      const says = profilePage(defineProfile(profile)).includes('**no limit: a signature never expires**');
      assert.equal(says, profile.time.neverExpires === true, profile.id);
    }
  });
});
