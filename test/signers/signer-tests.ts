import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type LiveService, sendThrough, startLiveService } from './live.ts';
import { oddClientId } from '../../packages/portal/test/odd-values.ts';
import { sendFirstRequests } from './first-request.ts';
import { missingProgram, otherAlgorithmsOf, runOwnTests, signerPackages } from './packages.ts';

/** Few: `npm run test:signers` sends a thousand through each client. */
const requestsPerClient = 60;
/** Fewer: only the key is another. */
const requestsPerAlgorithm = 12;

/** Builds and tests the signer of one language. Each has a test file of its own: a build takes long, and none needs another. */
export function testSigner(language: string): void {
  const one = signerPackages().find((each) => each.language === language);
  if (one === undefined) throw new Error(`There is no signer for ${language}.`);
  const skip = missingProgram(one);

  describe('signers in other languages', () => {
    let service: LiveService;
    before(async () => (service = await startLiveService()));
    after(() => service.close());

    test(`${language}: its own tests pass`, { skip }, async (context) => {
      const { code, output } = await runOwnTests(one);
      context.diagnostic(output.trimEnd().split('\n').at(-1) ?? '');
      assert.equal(code, 0, output);
    });

    test(`${language}: the service accepts every random request`, { skip }, async (context) => {
      const seed = randomInt(2 ** 31);
      for (const result of await sendThrough(one, service, { count: requestsPerClient, seed })) {
        context.diagnostic(
          `${result.client}: ${result.accepted} accepted, ${result.rejectedBefore} rejected before sending`,
        );
        assert.deepEqual(result.failures, [], `${result.client}, seed ${seed}`);
        assert.ok(result.accepted >= requestsPerClient / 2, `${result.client} sends less than half`);
      }
    });

    for (const algorithm of otherAlgorithmsOf(one)) {
      test(`${language}: the service accepts requests signed with ${algorithm}`, { skip }, async () => {
        const seed = randomInt(2 ** 31);
        const plan = { count: requestsPerAlgorithm, seed, algorithm };
        for (const { client, accepted, failures } of await sendThrough(one, service, plan)) {
          assert.deepEqual(failures, [], `${client}, seed ${seed}`);
          assert.ok(accepted >= requestsPerAlgorithm / 3, `${client} sends less than a third`);
        }
      });
    }

    test(
      `${language}: the first request is accepted as the portal shows it, and a rejection explained`,
      { skip },
      async () => {
        const { accepted, rejected } = await sendFirstRequests(one);
        assert.equal(accepted.code, 0, accepted.output);
        const answer = /^(?:\d+ )?(\{.*\})$/m.exec(accepted.output)?.[1] ?? assert.fail(accepted.output);
        const { clientId, method, targetUri } = JSON.parse(answer) as Record<string, string>;
        assert.deepEqual({ clientId, method }, { clientId: oddClientId, method: 'POST' });
        assert.ok(targetUri!.endsWith('/v1/signature-test'));
        assert.match(rejected.output, /signature_invalid: .+/);
      },
    );
  });
}
