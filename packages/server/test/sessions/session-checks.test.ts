import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  memberRoles,
  operations,
  parseAddress,
  type Permission,
  type ProblemCode,
} from '@countersign/contract';
import {
  type CheckedAccess,
  type CheckedSession,
  checkSession,
  type SessionAttempt,
} from '../../src/people/sessions/session-checks.ts';
import { crossSiteReason } from '../../src/people/sessions/same-origin.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const ownOrigins = new Set(['https://api.example.test']);
const session: CheckedSession = {
  userId: 'person_1',
  startedAtMs: nowMs - 3_600_000,
  provedAtMs: nowMs - 60_000,
  hasSecondFactor: true,
  stepUpMethods: ['password', 'totp'],
};
const access: CheckedAccess = {
  permissions: new Set<Permission>(memberRoles.owner.permissions),
  policy: { isSecondFactorRequired: true, sessionHoursMax: 8 },
  isAllowedFrom: (address) => address !== undefined,
};
const attempt: SessionAttempt = {
  from: {
    method: 'POST',
    origin: ['https://api.example.test'],
    secFetchSite: ['same-origin'],
    countersignCsrf: ['1'],
  },
  source: { address: parseAddress('203.0.113.7'), text: '203.0.113.7' },
  ownOrigins,
  operation: operations.addClient,
  parameters: {},
  nowMs,
};

interface Scene {
  attempt: SessionAttempt;
  session: CheckedSession | undefined;
  access: CheckedAccess | undefined;
}

/** One fault for each check, in the order of the checks. */
const faults: readonly { code: ProblemCode; spoil: (scene: Scene) => void }[] = [
  { code: 'session_required', spoil: (scene) => (scene.session = undefined) },
  {
    code: 'cross_site_request',
    spoil: (scene) => {
      const from = { ...scene.attempt.from, origin: ['https://evil.example'] };
      scene.attempt = { ...scene.attempt, from };
    },
  },
  { code: 'not_found', spoil: (scene) => (scene.access = undefined) },
  {
    code: 'portal_network_not_allowed',
    spoil: (scene) => {
      if (scene.access) scene.access = { ...scene.access, isAllowedFrom: () => false };
    },
  },
  {
    code: 'session_required',
    spoil: (scene) => {
      if (scene.session) scene.session = { ...scene.session, startedAtMs: nowMs - 8 * 3_600_000 };
    },
  },
  {
    code: 'second_factor_required',
    spoil: (scene) => {
      if (scene.session) scene.session = { ...scene.session, hasSecondFactor: false };
    },
  },
  {
    code: 'permission_denied',
    spoil: (scene) => {
      if (scene.access) scene.access = { ...scene.access, permissions: new Set(['clients:read']) };
    },
  },
  {
    code: 'step_up_required',
    spoil: (scene) => {
      if (scene.session) scene.session = { ...scene.session, provedAtMs: nowMs - 600_000 };
    },
  },
];

const decide = async (change: Partial<Scene>): Promise<string> => {
  const scene = { attempt, session, access, ...change };
  const decision = await checkSession(
    scene.attempt,
    async () => scene.session,
    async () => scene.access,
  );
  return decision.ok ? 'admitted' : decision.code;
};

describe('the checks of a request with a session', () => {
  test('each fault is refused by its code', async () => {
    for (const { code, spoil } of faults) {
      const scene: Scene = { attempt, session, access };
      spoil(scene);
      assert.equal(await decide(scene), code);
    }
  });

  test('of two faults the earlier check answers', async () => {
    for (const [index, earlier] of faults.entries()) {
      for (const later of faults.slice(index + 1)) {
        const scene: Scene = { attempt, session, access };
        later.spoil(scene);
        earlier.spoil(scene);
        assert.equal(await decide(scene), earlier.code, `${earlier.code} before ${later.code}`);
      }
    }
  });

  test('a session that never gave the second factor that the account demands is asked for it, to look even', async () => {
    const unproved = { session: { ...session, provedAtMs: 0 } };
    const looking = { ...attempt, operation: operations.listClients };
    assert.equal(await decide({ ...unproved, attempt: looking }), 'step_up_required');
    const policy = { ...access.policy, isSecondFactorRequired: false };
    assert.equal(await decide({ ...unproved, attempt: looking, access: { ...access, policy } }), 'admitted');
  });

  test('nothing is looked up for a request that comes from another site, or without a session', async () => {
    const from = { ...attempt.from, secFetchSite: ['cross-site'] };
    const never = (): Promise<never> => assert.fail('it was looked up');
    const crossSite = await checkSession({ ...attempt, from }, async () => session, never);
    assert.equal(crossSite.ok, false);
    const none = await checkSession(attempt, async () => undefined, never);
    assert.equal(none.ok, false);
  });

  test('a proof counts for less than ten minutes, and one of the future for nothing', async () => {
    const proved = (agoMs: number): Promise<string> =>
      decide({ session: { ...session, provedAtMs: nowMs - agoMs } });
    assert.equal(await proved(599_999), 'admitted');
    assert.equal(await proved(600_000), 'step_up_required');
    assert.equal(await proved(nowMs), 'step_up_required');
    assert.equal(await proved(-60_000), 'admitted');
    assert.equal(await proved(-60_001), 'step_up_required');
    const reading = { ...attempt, operation: operations.listClients };
    const longAgo = { ...session, provedAtMs: nowMs - 86_400_000 };
    assert.equal(await decide({ attempt: reading, session: longAgo }), 'admitted');
  });

  test('a session is as old as the account allows, and not a moment older', async () => {
    const begun = (agoMs: number): Promise<string> =>
      decide({ session: { ...session, startedAtMs: nowMs - agoMs } });
    assert.equal(await begun(8 * 3_600_000 - 1), 'admitted');
    assert.equal(await begun(8 * 3_600_000), 'session_required');
  });

  test('what clients alone can call is permitted to nobody', async () => {
    const everything = { ...access, permissions: new Set(memberRoles.operator.permissions) };
    for (const operation of [operations.getWhoami, operations.createPayment])
      assert.equal(
        await decide({ attempt: { ...attempt, operation }, access: everything }),
        'permission_denied',
      );
  });

  test('everybody may leave, and nobody may remove others without the permission', async () => {
    const viewer = { ...access, permissions: new Set(memberRoles.viewer.permissions) };
    const removing = (userId: string): Promise<string> =>
      decide({
        attempt: { ...attempt, operation: operations.removeMember, parameters: { userId } },
        access: viewer,
      });
    assert.equal(await removing('person_1'), 'admitted');
    assert.equal(await removing('person_2'), 'permission_denied');
    assert.equal(await removing(''), 'permission_denied');
  });
});

describe('where a request comes from', () => {
  const own = 'https://api.example.test';
  const reason = (method: string, change: Partial<SessionAttempt['from']>): string | undefined =>
    crossSiteReason({ method, origin: [], secFetchSite: [], countersignCsrf: [], ...change }, ownOrigins);
  const good = { origin: [own], secFetchSite: ['same-origin'], countersignCsrf: ['1'] };

  test('what another site can have sent is refused', () => {
    const others = [
      'null',
      '',
      'https://evil.example',
      'http://api.example.test',
      'https://api.example.test:444',
      'https://api.example.test.evil.example',
      'https://evil.api.example.test',
      'HTTPS://api.example.test',
      'https://api.example.test/',
      'https://api.example.test, https://api.example.test',
    ];
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get']) {
      for (const origin of others)
        assert.match(reason(method, { ...good, origin: [origin] }) ?? '', /^Origin/, `${method} ${origin}`);
      for (const site of ['cross-site', 'same-site', '', 'Same-Origin', 'same-origin, same-origin'])
        assert.match(reason(method, { ...good, secFetchSite: [site] }) ?? '', /^Sec-Fetch-Site/, site);
      for (const name of ['origin', 'secFetchSite', 'countersignCsrf'] as const)
        assert.match(reason(method, { ...good, [name]: [...good[name], ...good[name]] }) ?? '', /only once/);
      assert.equal(reason(method, good), undefined, method);
    }
  });

  test('what changes something shows the origin and our header, also without Sec-Fetch-Site', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get', '']) {
      assert.equal(reason(method, { ...good, secFetchSite: [] }), undefined);
      assert.match(reason(method, { ...good, origin: [] }) ?? '', /Origin is missing/);
      for (const csrf of [[], [''], ['0'], ['true'], ['1, 1'], [' 1']])
        assert.match(reason(method, { ...good, countersignCsrf: csrf }) ?? '', /Countersign-CSRF/);
      assert.match(reason(method, { ...good, secFetchSite: ['none'] }) ?? '', /Sec-Fetch-Site/);
    }
  });

  test('reading needs neither, and may be what somebody has typed', () => {
    for (const method of ['GET', 'HEAD']) {
      assert.equal(reason(method, {}), undefined);
      assert.equal(reason(method, { secFetchSite: ['none'] }), undefined);
      assert.equal(reason(method, { origin: [own] }), undefined);
    }
  });
});
