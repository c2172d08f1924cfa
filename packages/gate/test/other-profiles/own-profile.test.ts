import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import {
  addParty,
  apiForAll,
  codeFor,
  operatorsOwn,
  type Sent,
  signed,
  signedOtherwise,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * A profile that the operator wrote, with a structured field of its own.
 */

const { curl822 } = messageProfiles;
const withParts = {
  ...operatorsOwn,
  id: 'shop-partners-2',
  components: {
    ...operatorsOwn.components,
    required: [...operatorsOwn.components.required, { identifier: '"x-parts";sf' }],
  },
  fieldTypes: { 'x-parts': 'dictionary' as const },
};
const scene = apiForAll([withParts, curl822]);
const lines = [
  ['X-Partner', 'p-1'],
  ['X-Parts', 'a=1,   b=2'],
] as const;

describe('a structured field whose type the operator’s profile says', () => {
  test('is signed by its meaning: its spaces may change, its members may not', async () => {
    const party = await addParty(scene.api, withParts);
    const changed = async (change: (value: string) => string): Promise<string> =>
      codeFor(scene.api, withLine(await signed(party, { lines }), 'X-Parts', change));
    assert.equal(await changed(() => 'a=1, b=3'), 'signature_invalid');
    assert.equal(await changed(() => 'b=2, a=1'), 'signature_invalid');
    assert.equal(await changed(() => 'a=1, a='), 'components_invalid');
    assert.equal(await changed((value) => value), 'accepted');
    assert.equal(await changed(() => 'a=1, b=2'), 'accepted');
    const twice = async (sent: Sent): Promise<Sent> => ({
      ...withLine(sent, 'X-Parts', () => 'a=1'),
      lines: sent.lines.flatMap(([name, value]) =>
        name === 'X-Parts' ? [[name, 'a=1'] as const, [name, 'b=2'] as const] : [[name, value] as const],
      ),
    });
    assert.equal(await codeFor(scene.api, await twice(await signed(party, { lines }))), 'accepted');
  });

  test('cannot be covered by a client whose profile does not say it', async () => {
    const party = await addParty(scene.api, curl822);
    const cover = (identifier: string): Promise<Sent> =>
      signedOtherwise(
        party,
        { lines },
        ({ components }) => ({ components: [...components, identifier] }),
        withParts.fieldTypes,
      );
    assert.equal(await codeFor(scene.api, await cover('"x-parts";sf')), 'components_invalid');
    assert.equal(await codeFor(scene.api, await cover('"x-parts"')), 'accepted');
  });
});
