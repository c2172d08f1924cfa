import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodylessDraft, nowMs } from '@countersign/testing/draft';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';

const nonces = [
  { name: 'none', text: '', isWellFormed: true },
  { name: 'of 15 characters', text: `;nonce="${'n'.repeat(15)}"`, isWellFormed: false },
  { name: 'of 65 characters', text: `;nonce="${'n'.repeat(65)}"`, isWellFormed: false },
  { name: 'with a space', text: `;nonce="${'n'.repeat(15)} n"`, isWellFormed: false },
  { name: 'that is a number', text: ';nonce=1234567890123', isWellFormed: false },
  { name: 'that is a token', text: ';nonce=abcdefghijklmnopqr', isWellFormed: false },
  { name: 'of 16 characters', text: `;nonce="${'n'.repeat(16)}"`, isWellFormed: true },
  { name: 'of 64 characters', text: `;nonce="${'n'.repeat(64)}"`, isWellFormed: true },
] as const;

for (const setting of ['off', 'optional', 'required'] as const) {
  describe(`nonce: ${setting}`, () => {
    let running: RunningService;
    let clientId: string;
    before(async () => {
      running = await runService({ COUNTERSIGN_NONCE: setting }, { nowMs });
      ({ clientId } = await running.addClient());
    });
    after(() => running.close());

    for (const { name, text, isWellFormed } of nonces) {
      const isAllowed = text === '' ? setting !== 'required' : setting !== 'off' && isWellFormed;
      test(`a nonce ${name}: ${isAllowed ? 'accepted' : 'refused'}`, async () => {
        const answer = await sendDraft(running, bodylessDraft(clientId, { moreParameters: text }));
        assert.equal(codeOf(answer), isAllowed ? '200' : 'parameters_invalid');
      });
    }

    test('a second nonce is no nonce', async () => {
      const moreParameters = `;nonce="${'a'.repeat(16)}";nonce="${'b'.repeat(16)}"`;
      const answer = await sendDraft(running, bodylessDraft(clientId, { moreParameters }));
      assert.equal(codeOf(answer), 'signature_malformed');
    });
  });
}
