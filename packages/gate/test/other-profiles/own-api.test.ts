import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { baseUrl } from '@countersign/testing/running-service';
import {
  addParty,
  answerTo,
  apiForAll,
  codeFor,
  type Draft,
  type Party,
  profiles,
  signed,
  usualLines,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * The service's own API requires of every client that its signatures bind the method, the URL and the body.
 */

const { agentPayments2025, curl822, webBotAuth01 } = messageProfiles;
const scene = apiForAll();
const roles = { roles: ['payments-operator'] };
const whoami = `${baseUrl}/v1/whoami`;
const lines = usualLines.filter(([name]) => name !== 'Idempotency-Key');
let payments = 0;

const payment = (): Draft => ({
  method: 'POST',
  url: `${baseUrl}/v1/payments`,
  body: JSON.stringify({ amount: 100, currency: 'EUR', reference: `order-${++payments}` }),
  lines,
});

async function codesFor(party: Party, drafts: readonly Draft[]): Promise<readonly string[]> {
  const codes: string[] = [];
  for (const draft of drafts) codes.push(await codeFor(scene.api, await signed(party, draft)));
  return codes;
}

test('a body that curl does not cover is rejected, announced or in chunks, and before it is read', async () => {
  const party = await addParty(scene.api, curl822, 'ed25519', roles);
  assert.deepEqual(await codesFor(party, [payment(), { ...payment(), isChunked: true }]), [
    'components_invalid',
    'digest_missing',
  ]);
  const empty = await signed(party, { method: 'POST', url: `${baseUrl}/v1/payments`, lines });
  for (const isChunked of [false, true]) {
    const code = await codeFor(scene.api, { ...empty, body: payment().body, isChunked });
    assert.match(code, /^(?:components_invalid|digest_missing)$/);
  }
  const own = { others: ['content-digest'] };
  const covered = [
    { ...payment(), signature: own },
    { ...payment(), isChunked: true, signature: own },
  ];
  assert.deepEqual(await codesFor(party, covered), ['accepted', 'accepted']);
  const changed = await signed(party, { ...payment(), signature: own });
  assert.equal(await codeFor(scene.api, { ...changed, body: payment().body }), 'digest_mismatch');
});

test('a digest that is there but not covered does not count', async () => {
  const party = await addParty(scene.api, curl822, 'ed25519', roles);
  const sent = await signed(party, { ...payment(), signature: { others: ['content-digest'] } });
  const digest = sent.lines.find(([name]) => name === 'Content-Digest')!;
  const open = await signed(party, { ...payment(), lines: [...lines, digest] });
  assert.equal(await codeFor(scene.api, open), 'components_invalid');
});

test('a method, a host, a path or a query that is left open is rejected', async () => {
  const cases: readonly (readonly [Party['profile'], readonly string[], string])[] = [
    [webBotAuth01, [], 'components_invalid'],
    [webBotAuth01, ['@method'], 'components_invalid'],
    [webBotAuth01, ['@target-uri'], 'components_invalid'],
    [webBotAuth01, ['@authority', '@path', '@query'], 'components_invalid'],
    [webBotAuth01, ['@method', '@authority', '@path'], 'components_invalid'],
    [webBotAuth01, ['@method', '@authority', '@query'], 'components_invalid'],
    [webBotAuth01, ['@method', '@authority', '@request-target'], 'components_invalid'],
    [webBotAuth01, ['@method', '@target-uri'], 'accepted'],
    [webBotAuth01, ['@method', '@authority', '@path', '@query'], 'accepted'],
    [agentPayments2025, [], 'components_invalid'],
    [agentPayments2025, ['@method', '@query-param;name="limit"'], 'components_invalid'],
    [agentPayments2025, ['@method', '@query'], 'accepted'],
  ];
  for (const [profile, others, expected] of cases) {
    const party = await addParty(scene.api, profile, 'ed25519', roles);
    const draft = { url: `${baseUrl}/v1/payments?limit=1`, signature: { others: others.map(asIdentifier) } };
    assert.deepEqual(await codesFor(party, [draft]), [expected], others.join());
  }
});

const asIdentifier = (text: string): string => text.replace(/^(@query-param)/, '"$1"');

test('a query that was added is rejected, although none was there to cover', async () => {
  const party = await addParty(scene.api, agentPayments2025, 'ed25519', roles);
  const sent = await signed(party, { url: whoami, signature: { others: ['@method'] } });
  assert.equal(await codeFor(scene.api, { ...sent, url: `${whoami}?x=1` }), 'components_invalid');
  assert.equal(await codeFor(scene.api, { ...sent, url: `${whoami}?` }), 'components_invalid');
  assert.equal(await codeFor(scene.api, sent), 'accepted');
});

test('a client with each profile can ask who it is, if it covers enough', async () => {
  for (const profile of profiles) {
    const party = await addParty(scene.api, profile, undefined, roles);
    const others = profile.components.others === 'any' ? ['@method', '@target-uri'] : [];
    assert.deepEqual(
      await codesFor(party, [{ url: whoami, signature: { others } }]),
      ['accepted'],
      profile.id,
    );
    const sent = await signed(party, { url: whoami, signature: { others } });
    const changed = withLine(sent, 'Signature-Input', (input) => input.replace('"@method"', '"@path"'));
    assert.match(await codeFor(scene.api, changed), /^(?:signature|components)_invalid$/);
  }
});

test('the signature test tells such a client what it verified', async () => {
  const party = await addParty(scene.api, curl822, 'ed25519', roles);
  const answer = await answerTo(scene.api, await signed(party, { url: `${baseUrl}/v1/signature-test` }));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json()['components'], ['@method', '@authority', '@path']);
});
