import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createForwardedCheck, type ForwardedRequest } from '../src/index.ts';
import { audience, GatewayNode } from './gateway-node.ts';

const node = new GatewayNode();
const check = createForwardedCheck({ audience, keys: { keys: [node.jwk()] } });

test('whatever comes as a request, it is refused and nothing is thrown', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '/', 'GET', '__proto__', '\n'));
  const value = fc.oneof(text, fc.constantFrom(undefined, null, 0, {}, [], Symbol('x')), fc.anything());
  const request = fc.record(
    {
      method: value,
      url: value,
      rawHeaders: fc.oneof(fc.array(value), value),
      headers: fc.oneof(fc.dictionary(text, value), fc.array(value), value),
      body: fc.oneof(fc.uint8Array(), value),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(request, async (hostile) => {
      assert.equal((await check(hostile as ForwardedRequest)).ok, false);
    }),
    { numRuns: 500 },
  );
});

test('1,000 random changes of a signed request: nothing is thrown, and nothing passes that changes what is signed', async () => {
  const honest = node.forward(Date.now());
  const lines = honest.rawHeaders!;
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom(',', ';', '=', '"', ':', ' ', 'countersign', '=()', '\\', '(', ')', 'sig=:AAAA:, '),
  );
  const changes = fc.record({
    index: fc.nat(lines.length - 1),
    at: fc.nat(400),
    removed: fc.nat(4),
    inserted: piece,
  });
  let passed = 0;
  await fc.assert(
    fc.asyncProperty(changes, async ({ index, at, removed, inserted }) => {
      const before = lines[index]!;
      const place = at % (before.length + 1);
      const after = before.slice(0, place) + inserted + before.slice(place + removed);
      const rawHeaders = lines.with(index, after);
      const result = await check({ ...honest, rawHeaders });
      if (!result.ok) return;
      passed += 1;
      const isName = index % 2 === 0;
      const isSame = isName
        ? after.toLowerCase() === before.toLowerCase()
        : members(after).includes(members(before)[0]!);
      assert.ok(isSame, `${before} became ${after}`);
      assert.equal(result.clientId, 'client_a');
    }),
    { numRuns: 1000 },
  );
  assert.ok(passed > 0, 'some changes change nothing');
});

/** The members of a signature field, without the spaces and commas that may stand between them. */
function members(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}
