import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProfileEntry } from '@countersign/contract';
import { messageProfiles } from '@countersign/signature/messages/request';
import { algorithms } from '@countersign/signature/rfc9421';
import { runService, sendSigned } from '@countersign/testing/running-service';
import { ConfigurationError } from '../../src/configuration/load.ts';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';

/*
 * A profile that the operator writes: it is accepted only if a signature by it can be.
 */

const own = {
  id: 'own',
  title: 'What our partners sign',
  message: 'request',
  select: { label: 'partner' },
  components: { required: [{ identifier: '@method' }, { identifier: '@target-uri' }], others: 'none' },
  parameters: { created: 'required', keyid: 'required' },
  algorithms: ['ed25519'],
  time: { maxAgeSeconds: 60, maxFutureSeconds: 10 },
  replay: 'base',
};

const requiring = (rule: object): object => ({
  components: { required: [...own.components.required, rule], others: 'none' },
});
const typed = (type: string): object => ({ fieldTypes: { 'x-part': type } });

function load(...profiles: readonly unknown[]): readonly { readonly id: string }[] {
  return loadConfiguration({ COUNTERSIGN_PROFILES: JSON.stringify(profiles) }).profiles;
}

const mistakes: readonly (readonly [what: string, profiles: readonly unknown[], message: RegExp])[] = [
  ['no object and no name', [7], /must be|Invalid/],
  [
    'the name of another one',
    [{ ...own, id: 'curl-8.22' }],
    /with the name curl-8\.22, which another profile has/,
  ],
  ['the name of a closed one', [{ ...own, id: 'countersign' }], /with the name countersign, which another/],
  ['one name twice', [own, own], /names the profile own twice/],
  [
    'a member that means nothing',
    [{ ...own, replays: 'off' }],
    /"own".*a member "replays", which means nothing/s,
  ],
  ['responses', [{ ...own, message: 'response' }], /"own"/],
  ['no keyid', [{ ...own, parameters: { created: 'required' } }], /own, .* no parameter "keyid"/],
  [
    'no created',
    [{ ...own, parameters: { keyid: 'required' }, time: { neverExpires: true }, replay: 'off' }],
    /own, .* no parameter "created"/,
  ],
  ['no algorithm of a registered key', [{ ...own, algorithms: ['hmac-sha256'] }], /none of whose algorithms/],
  ['trailers', [{ ...own, ...requiring({ identifier: '"x-sum";tr' }) }], /requires "x-sum";tr: .* trailers/],
  [
    'two types of a field',
    [
      { ...own, ...typed('item') },
      { ...own, id: 'own-2', ...typed('list') },
    ],
    /the field x-part different types/,
  ],
];

describe('a profile of the operator’s own', () => {
  for (const [what, profiles, message] of mistakes)
    test(`with ${what} is a mistake at the start`, () => {
      assert.throws(
        () => load(...profiles),
        (error: unknown) => error instanceof ConfigurationError && message.test(error.message),
      );
    });

  test('is accepted if it can be followed, beside those with names', () => {
    const profiles = [
      { ...own, ...typed('item') },
      { ...own, id: 'own-2', ...typed('item'), algorithms: ['PS256', 'ed25519'] },
      { ...own, id: 'own-3', ...requiring({ identifier: '"x-sum";tr', when: 'present' }) },
      'curl-8.22',
    ];
    assert.deepEqual(
      load(...profiles).map(({ id }) => id),
      ['own', 'own-2', 'own-3', 'curl-8.22'],
    );
  });
});

test('the management API lists each with what it binds, signs with and requires', async (t) => {
  const own2 = { ...own, id: 'own-2', algorithms: ['PS256', 'ed25519'] };
  const running = await runService({
    COUNTERSIGN_PROFILES: JSON.stringify(['curl-8.22', 'adcp-3.2', own2]),
  });
  t.after(() => running.close());
  const { signer } = await running.addClient({ roles: ['administrator'] });
  const answer = await sendSigned(running, signer, { method: 'GET', url: '/v1/profiles' });
  assert.equal(answer.status, 200, answer.text);
  const { data } = answer.json() as unknown as { data: readonly ProfileEntry[] };
  const found = new Map(data.map((entry) => [entry.name, entry]));
  assert.deepEqual(
    [...found].map(([name, { parameters }]) => [name, ...parameters]),
    [
      ['countersign', 'created', 'keyid', 'alg'],
      ['countersign-without-date', 'created', 'keyid', 'alg'],
      ['curl-8.22', 'created', 'keyid', 'alg'],
      ['adcp-3.2', 'created', 'keyid', 'expires', 'nonce', 'alg', 'tag'],
      ['own-2', 'created', 'keyid'],
    ],
  );
  assert.deepEqual(found.get('countersign')!.algorithms, Object.keys(algorithms));
  assert.deepEqual(found.get('curl-8.22')!.algorithms, ['ed25519']);
  // All rules of the others, the operator's own too, so that a request can be judged by them anywhere.
  assert.equal(found.get('countersign')!.definition, undefined);
  assert.deepEqual(found.get('curl-8.22')!.definition, JSON.parse(JSON.stringify(messageProfiles.curl822)));
  assert.deepEqual(found.get('own-2')!.definition, own2);
  // A key can be registered for one of the two.
  assert.ok(found.get('own-2')!.algorithms.includes('ed25519'));
});
