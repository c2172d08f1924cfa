import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  closedConnections,
  type HostileCase,
  interimAnswers,
  slowAnswers,
  soundAnswers,
  unsoundHeads,
  unsoundLengths,
} from './hostile-answers.ts';
import { honest, type HostileUpstream, openHostileUpstream } from './hostile-upstream.ts';
import { openRawGateway, type RawGateway } from './raw-gateway.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** Long enough for a busy machine: nothing here waits for it. */
const patient = { connectSeconds: 60, firstByteSeconds: 60, idleSeconds: 60 };
const hasty = { connectSeconds: 60, firstByteSeconds: 0.3, idleSeconds: 0.3 };

const groups: Readonly<Record<string, readonly HostileCase[]>> = {
  'an upstream that answers in a lawful way': soundAnswers,
  'an upstream that sends interim answers': interimAnswers,
  'an upstream whose head is no head': unsoundHeads,
  'an upstream whose answer has no sound end': unsoundLengths,
  'an upstream that takes its time': slowAnswers,
  'an upstream that ends connections': closedConnections,
};

let upstream: HostileUpstream;
let gateway: RawGateway;

describe('hostile upstreams', () => {
  const closers: (() => unknown)[] = [];
  before(async () => {
    const t = { after: (close: () => unknown) => void closers.push(close) };
    upstream = await openHostileUpstream(t);
    gateway = await openRawGateway(t, {
      upstreams: {
        patient: { addresses: upstream.address, ...patient },
        hasty: { addresses: upstream.address, ...hasty },
      },
      routes: [
        { path: '/**', upstream: 'patient' },
        { path: '/hasty/**', upstream: 'hasty' },
      ],
    });
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  for (const [group, cases] of Object.entries(groups))
    describe(group, () => {
      for (const [index, one] of cases.entries())
        test(one.name, () =>
          runCase(one, `${one.isHasty ? '/hasty' : ''}/${group.replaceAll(' ', '-')}/${index}`),
        );
    });
});

async function runCase(one: HostileCase, target: string): Promise<void> {
  const { method = 'GET', body, behaviour, expect, arrivals = 1 } = one;
  await upstream.endAll();
  upstream.forget();
  upstream.behave(behaviour);
  const answer = await gateway.ask(method, target, body === undefined ? {} : { body });
  assert.deepEqual(outcomeOf(answer, expect), expect);
  await upstream.arrived(arrivals);
  assert.equal(upstream.requests.length, arrivals, 'number of arrivals');

  // Nothing of it is left for the next request.
  upstream.behave(honest);
  const next = await gateway.ask('POST', `${target}/next`, { body: 'honest' });
  assert.deepEqual([next.status, next.body, next.rest], [200, `POST ${target}/next`, '']);
  const last = upstream.requests.at(-1)!;
  assert.deepEqual(
    [upstream.requests.length, last.target, last.body],
    [arrivals + 1, `${target}/next`, 'honest'],
  );
}

/** Returns the parts of a response that a case mentions. */
function outcomeOf(answer: WholeAnswer, expect: HostileCase['expect']): unknown {
  assert.equal(answer.rest, '');
  if (!answer.isComplete) return answer.status === 200 ? 'cut' : answer;
  if (expect === 'cut') return answer;
  const { status, code, body, interim } = answer;
  return {
    status,
    ...(expect.code !== undefined && { code }),
    ...(expect.body !== undefined && { body }),
    ...(expect.interim !== undefined && { interim }),
  };
}
