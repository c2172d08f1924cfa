import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAnySignatureInput, readUsualSignatureInput } from '@countersign/signature/profile';
import { messageProfiles } from '@countersign/signature/messages';
import { algorithmNames } from '@countersign/testing/key-pair';
import { algorithmsOf, profiles } from '@countersign/testing/profiled-requests';
import fc from 'fast-check';
import { runCampaign } from './campaign.ts';
import { closedScene, timeWorstInputs } from './closed-scene.ts';
import { profileScene } from './profile-scene.ts';
import { serviceScene } from './service-scene.ts';

describe('mutated requests', () => {
  for (const algorithm of algorithmNames)
    test(`2,500 random changes with ${algorithm}: none passes, and Web Crypto decides alike`, async (context) => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const report = await runCampaign(await closedScene(algorithm), 2500, seed);
      assert.deepEqual(report.violations, [], `seed ${seed}`);
      // A campaign that never reaches the later checks, or never leaves a request intact, proves nothing.
      for (const code of [
        'signature_malformed',
        'signature_invalid',
        'digest_mismatch',
        'date_invalid',
        'parameters_invalid',
        'signature_replayed',
      ])
        assert.ok((report.refusedByCode[code] ?? 0) > 0, `${code} was never reached`);
      context.diagnostic(`seed ${seed}, slowest ${report.slowestMs.toFixed(2)} ms`);
    });

  for (const profile of Object.values(messageProfiles).filter(({ message }) => message === 'request'))
    test(`300 random changes by ${profile.id} with each algorithm: nothing that is not signed is proved`, async () => {
      for (const algorithm of profile.algorithms) {
        const seed = Math.floor(Math.random() * 2 ** 32);
        const report = await runCampaign(await profileScene(profile, algorithm), 300, seed);
        assert.deepEqual(report.violations, [], `${algorithm}, seed ${seed}`);
        assert.ok((report.refusedByCode['signature_invalid'] ?? 0) > 0, algorithm);
        const isAcceptedAgain = profile.replay === 'off';
        assert.ok(
          (isAcceptedAgain ? report.accepted : (report.refusedByCode['signature_replayed'] ?? 0)) > 0,
        );
      }
    });

  for (const profile of profiles)
    test(`300 random changes by ${profile.id}, to a service with other profiles: nothing is let in`, async () => {
      for (const algorithm of algorithmsOf(profile)) {
        const seed = Math.floor(Math.random() * 2 ** 32);
        const report = await runCampaign(await serviceScene(profile, algorithm), 300, seed);
        assert.deepEqual(report.violations, [], `${algorithm}, seed ${seed}`);
        assert.equal(report.accepted, 0);
        // What changes nothing that is signed is recognized as a replay.
        assert.ok(report.unchanged > 0, algorithm);
        assert.equal(report.unchanged, report.refusedByCode['signature_replayed']);
        // With the label of the closed profile, and no tag, a wrong signature is answered as by it.
        const { signature_invalid: invalid = 0, parameters_invalid: likeClosed = 0 } = report.refusedByCode;
        assert.ok(invalid + likeClosed > 0, algorithm);
      }
    });

  test('the worst inputs of 16 KiB that we know are all decided', async (context) => {
    const times = await timeWorstInputs(16_384);
    const [name, ms] = Object.entries(times).toSorted(([, a], [, b]) => b - a)[0]!;
    context.diagnostic(`slowest: ${name}, ${ms.toFixed(2)} ms`);
    assert.ok(Object.keys(times).length >= 15);
  });

  test('the quick reader of Signature-Input knows nothing else than the general one', () => {
    const integer = fc.oneof(
      fc.integer().map(String),
      fc.constantFrom('0', '00', '01', '-0', '1.0', '', '9'.repeat(15), '9'.repeat(16)),
    );
    const text = fc.string({
      unit: fc.constantFrom('a', 'Z', '0', ' ', '"', '\\', '\u007f', '\u00e9', ';', '='),
    });
    const list = fc.constantFrom(
      '("@method" "@target-uri" "content-digest" "date")',
      '("@method" "@target-uri" "date")',
      '("@method" "@target-uri" "content-digest")',
      '("@method" "@target-uri")',
      '("@method"  "@target-uri")',
      '()',
    );
    const parameter = fc.oneof(
      integer.map((value) => `;created=${value}`),
      text.map((value) => `;keyid="${value}"`),
      fc.constantFrom(';alg="rsa-v1_5-sha256"', ';alg="x"', ';nonce="n"', '; created=1', ';created'),
    );
    const input = fc.tuple(
      fc.constantFrom('sig=', 'sig1=', 'sig= '),
      list,
      fc.array(parameter, { maxLength: 5 }),
      fc.constantFrom('', ' ', ',', ', a'),
    );
    const usual = fc
      .tuple(list, integer, text)
      .map(([l, i, t]) => `sig=${l};created=${i};keyid="${t}";alg="rsa-v1_5-sha256"`);
    let read = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          usual,
          input.map(([label, l, parameters, end]) => label + l + parameters.join('') + end),
        ),
        (value) => {
          const quick = readUsualSignatureInput(value);
          if (!quick) return;
          read++;
          assert.deepEqual(quick, readAnySignatureInput(value));
        },
      ),
      { numRuns: 5000 },
    );
    assert.ok(read > 50, `the quick reader read only ${read} texts`);
  });
});
