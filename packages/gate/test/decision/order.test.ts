import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodylessDraft, type Draft, nowMs, paymentDraft } from '@countersign/testing/draft';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';
import { bodyBytesMax, type Fault, requestFaults, variantFaults } from './faults.ts';

/*
 * The order of docs/profile.md section 2.1, through the front door. A request that breaks two checks gets
 * the code of the earlier one, whatever the later one is.
 */

let running: RunningService;
let clientId: string;

before(async () => {
  running = await runService({ COUNTERSIGN_BODY_BYTES_MAX: String(bodyBytesMax) }, { nowMs });
  ({ clientId } = await running.addClient());
});
after(() => running.close());

const codeFor = async (draft: Draft): Promise<string> => codeOf(await sendDraft(running, draft));

/** Reasons in a client's record to reject a request. */
interface Refusals {
  readonly disabled?: boolean;
  readonly network?: boolean;
  readonly roles?: boolean;
}

/** Runs something while the client is rejected for each of these reasons. */
async function whileRefused(refusals: Refusals, work: () => Promise<void>): Promise<void> {
  const set = ({ disabled, network, roles }: Refusals): Promise<void> =>
    running.change(async (registry) => {
      await (disabled === true ? registry.disableClient(clientId) : registry.enableClient(clientId));
      await registry.setNetwork(clientId, [{ entry: network === true ? '192.0.2.1' : '0.0.0.0' }]);
      await registry.setRoles(clientId, [roles === true ? 'payments-reader' : 'payments-operator']);
    });
  await set(refusals);
  try {
    await work();
  } finally {
    await set({});
  }
}

function broken(faults: readonly Fault[], draft: Draft): Draft {
  for (const { apply } of faults) apply(draft);
  return draft;
}

describe('each check alone', () => {
  for (const fault of [...requestFaults, ...variantFaults]) {
    test(`${fault.code}: ${fault.name}`, async () => {
      assert.equal(await codeFor(broken([fault], paymentDraft(clientId))), fault.code);
    });
  }

  test('components_invalid: date not covered', async () => {
    const components = ['@method', '@target-uri', 'content-digest'];
    assert.equal(await codeFor(paymentDraft(clientId, { components })), 'components_invalid');
  });
  test('client_disabled', () =>
    whileRefused({ disabled: true }, async () => {
      assert.equal(await codeFor(paymentDraft(clientId)), 'client_disabled');
    }));
  test('network_not_allowed', () =>
    whileRefused({ network: true }, async () => {
      assert.equal(await codeFor(paymentDraft(clientId)), 'network_not_allowed');
    }));
  test('permission_denied', () =>
    whileRefused({ roles: true }, async () => {
      assert.equal(await codeFor(paymentDraft(clientId)), 'permission_denied');
    }));
  test('body_too_large', async () => {
    assert.equal(
      await codeFor(paymentDraft(clientId, { body: ' '.repeat(bodyBytesMax + 1) })),
      'body_too_large',
    );
  });
  test('body_too_large: announced, so that nobody is told to send it', async () => {
    const headers = { Expect: '100-continue', 'Content-Type': 'application/json' };
    const draft = paymentDraft(clientId, { body: ' '.repeat(bodyBytesMax + 1), headers });
    assert.equal(await codeFor(draft), 'body_too_large');
  });
  test('body_too_large: in chunks, of which nobody said how many come', async () => {
    const draft = paymentDraft(clientId, { body: ' '.repeat(bodyBytesMax + 1), isChunked: true });
    assert.equal(await codeFor(draft), 'body_too_large');
  });
  test('digest_mismatch', async () => {
    assert.equal(await codeFor(paymentDraft(clientId, { bodySent: '{"amount":9}' })), 'digest_mismatch');
  });
  test('digest_missing: a chunked body that the signature does not cover', async () => {
    const draft = bodylessDraft(clientId, { bodySent: '{}', isChunked: true });
    assert.equal(await codeFor(draft), 'digest_missing');
  });
  test('signature_replayed', async () => {
    const draft = paymentDraft(clientId);
    assert.equal(await codeFor(draft), '201');
    assert.equal(await codeFor(draft), 'signature_replayed');
  });
  test('not_found and method_not_allowed', async () => {
    assert.equal(await codeFor(bodylessDraft(clientId, { target: '/v1/nothing' })), 'not_found');
    assert.equal(await codeFor(bodylessDraft(clientId, { method: 'DELETE' })), 'method_not_allowed');
  });
  test('nothing wrong', async () => {
    assert.equal(await codeFor(paymentDraft(clientId)), '201');
    assert.equal(await codeFor(bodylessDraft(clientId)), '200');
  });
});

describe('two faults: the earlier check answers', () => {
  for (const [index, earlier] of requestFaults.entries()) {
    for (const later of requestFaults.slice(index + 1)) {
      test(`${earlier.code} before ${later.code}`, async () => {
        // Applied in both orders, so that it is not the draft that decides.
        assert.equal(await codeFor(broken([earlier, later], paymentDraft(clientId))), earlier.code);
        assert.equal(await codeFor(broken([later, earlier], paymentDraft(clientId))), earlier.code);
      });
    }
  }

  test('a stranger learns nothing of a client: signature_invalid before all that its record says', () =>
    whileRefused({ disabled: true, network: true, roles: true }, async () => {
      const wrongKey = requestFaults.at(-1)!;
      const components = ['@method', '@target-uri', 'content-digest'];
      const large = { body: ' '.repeat(bodyBytesMax + 1) };
      for (const changes of [{}, { components }, large]) {
        assert.equal(await codeFor(broken([wrongKey], paymentDraft(clientId, changes))), 'signature_invalid');
      }
    }));
  test('date not covered before client_disabled', () =>
    whileRefused({ disabled: true }, async () => {
      const components = ['@method', '@target-uri', 'content-digest'];
      assert.equal(await codeFor(paymentDraft(clientId, { components })), 'components_invalid');
    }));
  test('client_disabled before network_not_allowed and permission_denied', async () => {
    await whileRefused({ disabled: true, network: true }, async () => {
      assert.equal(await codeFor(paymentDraft(clientId)), 'client_disabled');
    });
    await whileRefused({ disabled: true, roles: true }, async () => {
      assert.equal(await codeFor(paymentDraft(clientId)), 'client_disabled');
    });
  });
  test('network_not_allowed before permission_denied', () =>
    whileRefused({ network: true, roles: true }, async () => {
      assert.equal(await codeFor(paymentDraft(clientId)), 'network_not_allowed');
    }));
  test('permission_denied before body_too_large and digest_mismatch', () =>
    whileRefused({ roles: true }, async () => {
      const large = { body: ' '.repeat(bodyBytesMax + 1) };
      assert.equal(await codeFor(paymentDraft(clientId, large)), 'permission_denied');
      assert.equal(await codeFor(paymentDraft(clientId, { bodySent: '{}' })), 'permission_denied');
    }));
  test('body_too_large before digest_mismatch', async () => {
    const draft = paymentDraft(clientId, { bodySent: 'x'.repeat(bodyBytesMax + 1) });
    assert.equal(await codeFor(draft), 'body_too_large');
  });
  test('digest_mismatch before signature_replayed, and it uses nothing up', async () => {
    const draft = paymentDraft(clientId);
    assert.equal(await codeFor({ ...draft, bodySent: '{"amount":9}' }), 'digest_mismatch');
    assert.equal(await codeFor(draft), '201');
    assert.equal(await codeFor({ ...draft, bodySent: '{"amount":9}' }), 'digest_mismatch');
  });
  test('signature_replayed before not_found', async () => {
    const draft = paymentDraft(clientId, { target: '/v1/nothing' });
    assert.equal(await codeFor(draft), 'not_found');
    assert.equal(await codeFor(draft), 'signature_replayed');
  });
  test('every check before not_found: who may not call learns no paths', async () => {
    assert.equal(
      await codeFor({ ...bodylessDraft('client_unknown'), target: '/v1/nothing' }),
      'signature_invalid',
    );
    await whileRefused({ network: true }, async () => {
      assert.equal(await codeFor(bodylessDraft(clientId, { target: '/v1/nothing' })), 'network_not_allowed');
      assert.equal(await codeFor(bodylessDraft(clientId, { method: 'DELETE' })), 'network_not_allowed');
    });
  });
});

describe('a refused request leaves no trace', () => {
  for (const fault of [...requestFaults, ...variantFaults]) {
    test(`after ${fault.code} (${fault.name}) the good one passes`, async () => {
      const draft = paymentDraft(clientId);
      const copy = { ...draft, components: [...draft.components], headers: { ...draft.headers } };
      assert.equal(await codeFor(broken([fault], copy)), fault.code);
      assert.equal(await codeFor(draft), '201');
    });
  }
});
