import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checklist, RequestStatistics, SignedInPerson } from '@countersign/contract';
import { clientIdOfPath, clientPath } from '../src/clients/client-path.ts';
import { localTimeText } from '../src/components/time-words.ts';
import { readEnd } from '../src/keys/key-end.ts';
import { doneSteps, stepPath } from '../src/pages/overview/checklist-steps.ts';
import { readRotationPlan, rotatePath } from '../src/pages/rotate/rotation-plan.ts';
import { trafficShares } from '../src/keys/traffic-share.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const limits = { nowMs, endDaysMax: 90, direction: 'earlier' } as const;

describe('the end of a key, as it is chosen', () => {
  it('is refused without a time, in the past, too far ahead, and on the wrong side of the present end', () => {
    const presentEndsAt = '2026-11-22T12:00:00.000Z';
    assert.deepEqual(readEnd({ kind: 'at', local: '' }, limits), { problem: 'missing' });
    assert.deepEqual(readEnd({ kind: 'at', local: localTimeText(nowMs - 60_000) }, limits), {
      problem: 'past',
    });
    assert.deepEqual(readEnd({ kind: 'hours', hours: 91 * 24 }, limits), { problem: 'far' });
    assert.deepEqual(readEnd({ kind: 'hours', hours: 48 }, { ...limits, presentEndsAt }), {
      problem: 'later',
    });
    assert.deepEqual(
      readEnd({ kind: 'hours', hours: 24 }, { ...limits, presentEndsAt, direction: 'later' }),
      {
        problem: 'earlier',
      },
    );
  });

  it('is a time in UTC', () => {
    const endsAt = '2026-11-21T13:00:00.000Z';
    assert.deepEqual(readEnd({ kind: 'hours', hours: 1 }, limits), { endsAt });
    assert.deepEqual(readEnd({ kind: 'at', local: localTimeText(Date.parse(endsAt)) }, limits), { endsAt });
  });
});

describe('the address of a rotation', () => {
  it('falls back to what is usual for what cannot be', () => {
    for (const search of ['', 'overlap=-1', 'overlap=1e9', 'overlap=', 'step=x&way=y'])
      assert.deepEqual(readRotationPlan(search), {
        way: 'planned',
        step: 'overlap',
        overlapSeconds: 259_200,
        keyId: undefined,
      });
  });

  it('is read as it was written', () => {
    const plan = { way: 'compromised', step: 'key', overlapSeconds: 0, keyId: 'key_1' } as const;
    const path = rotatePath('a/b?c', plan);
    assert.ok(path.startsWith('/integrations/api-keys/a%2Fb%3Fc/rotate?'));
    assert.deepEqual(readRotationPlan(path.slice(path.indexOf('?') + 1)), plan);
  });
});

describe('the clientId in an address', () => {
  it('survives whatever it holds', () => {
    for (const clientId of ['shop', 'a/b', '100%25', "it's#1?x=y&z", '%2e%2e'])
      assert.equal(clientIdOfPath(`/portal${clientPath(clientId, '/rotate')}`), clientId);
  });

  it('is empty where there is none', () => {
    assert.equal(clientIdOfPath('/portal/integrations/api-keys'), '');
    assert.equal(clientIdOfPath('/portal/integrations/api-keys/%E0%A4%A'), '');
  });
});

describe('the traffic of keys', () => {
  const point = (hour: number, accepted: number): RequestStatistics['series'][number]['points'][number] => ({
    startsAt: new Date(nowMs + hour * 3_600_000).toISOString(),
    accepted,
    observed: 0,
    refused: 5,
  });
  const statistics: RequestStatistics = {
    interval: 'hour',
    from: '',
    to: '',
    series: [
      { name: 'old', points: [point(-2, 90), point(-1, 1)] },
      { name: 'new', points: [point(-2, 0), point(-1, 3)] },
    ],
  };

  it('has no shares without requests', () => {
    assert.deepEqual(trafficShares(statistics, nowMs).get('old'), { requests: 0, share: undefined });
  });

  it('counts accepted requests alone, from a time on', () => {
    assert.deepEqual(trafficShares(statistics, nowMs - 3_600_000).get('new'), { requests: 3, share: 0.75 });
    assert.equal(trafficShares(statistics).get('old')?.requests, 91);
  });
});

describe('the checklist', () => {
  const nothing: Checklist = {
    hasClient: false,
    hasAcceptedRequest: false,
    hasRestrictedNetwork: false,
    hasRotatedKey: false,
  };
  const person: SignedInPerson = {
    userId: 'person_1',
    name: 'Ada',
    email: 'ada@example.com',
    hasTotp: false,
    passkeyCount: 0,
    hasPassword: true,
  };

  it('leads to adding a client as long as there is none', () => {
    assert.deepEqual([...doneSteps(nothing, person)], []);
    assert.equal(stepPath('rotation', nothing), '/integrations/api-keys/new');
  });

  it('takes an authenticator app, a passkey and an identity provider for a secured sign-in', () => {
    for (const secured of [{ hasTotp: true }, { passkeyCount: 1 }, { hasPassword: false }])
      assert.deepEqual([...doneSteps(nothing, { ...person, ...secured })], ['signIn']);
  });

  it('leads to the first client for what is done there', () => {
    const checklist = { ...nothing, hasClient: true, firstClientId: 'a/b' };
    assert.equal(stepPath('network', checklist), '/integrations/api-keys/a%2Fb?tab=network');
    assert.equal(stepPath('signIn', checklist), '/settings/profile');
  });
});
