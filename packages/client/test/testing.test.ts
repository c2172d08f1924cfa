import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readPublicKey } from '@countersign/signature/node';
import type { VectorCase } from '../../signature/test/conformance/profile-vectors.ts';
import { createTestVerifier, type TestVerdict } from '../src/testing.ts';
import { signerOnNode } from './adapters.ts';
import { clientId, publicKeyPem } from './keys.ts';

const vectors = new URL('../../../vectors/profile/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, vectors), 'utf8'));
const { keys } = read('keys.json') as { keys: Readonly<Record<string, { publicKeyPem: string }>> };
const casesOf = (name: string): readonly VectorCase[] =>
  (read(name) as { cases: readonly VectorCase[] }).cases;

/** The verdicts of the case's clients, one verifier each. */
async function verdictsOf({ request, verify }: VectorCase): Promise<TestVerdict[]> {
  const { method, url, headers, body } = request;
  const bytes =
    body === null
      ? undefined
      : new Uint8Array(
          body.file === undefined
            ? Buffer.from(body.base64!, 'base64')
            : readFileSync(new URL(body.file, vectors)),
        );
  nowMs = verify.now * 1000;
  return Promise.all(
    verify.clients.flatMap((one) =>
      verifierOf(one.clientId, one.publicKey).map((check) => check({ method, url, headers, body: bytes })),
    ),
  );
}

/** Reading a key takes longer than verifying: one verifier for each client, whose clock is set for each case. */
let nowMs = 0;
const verifiers = new Map<string, ReturnType<typeof createTestVerifier>[]>();

function verifierOf(id: string, keyName: string): ReturnType<typeof createTestVerifier>[] {
  const name = `${id} ${keyName}`;
  const publicKey = keys[keyName]!.publicKeyPem;
  // Keys that exist to be rejected belong to no client.
  const made =
    verifiers.get(name) ??
    (readPublicKey(publicKey).ok ? [createTestVerifier({ clientId: id, publicKey, now: () => nowMs })] : []);
  verifiers.set(name, made);
  return made;
}

describe('the verifier for tests', () => {
  it('accepts every positive vector by the one client that signed it', async () => {
    const cases = casesOf('positive.json');
    for (const one of cases) {
      const verdicts = await verdictsOf(one);
      assert.equal(verdicts.filter(({ ok }) => ok).length, 1, one.id);
    }
    assert.ok(cases.length > 90);
  });

  for (const file of ['negative.json', 'fuzz.json']) {
    it(`rejects every vector of ${file}`, async () => {
      const cases = casesOf(file);
      for (const one of cases)
        for (const verdict of await verdictsOf(one)) assert.equal(verdict.ok, false, one.id);
      assert.ok(cases.length > 300);
    });
  }

  it('accepts what a signer makes, once, and says what is wrong with a change', async () => {
    const verify = createTestVerifier({ clientId, publicKey: publicKeyPem });
    const signed = await signerOnNode().sign({ method: 'POST', url: 'https://a.test/verify', body: 'x' });
    const request = { ...signed, headers: Object.entries(signed.headers) };
    const code = async (change: object): Promise<string> => {
      const verdict = await verify({ ...request, ...change });
      return verdict.ok ? 'ok' : verdict.code;
    };
    assert.equal(await code({ url: 'https://a.test/verified' }), 'signature_invalid');
    assert.equal(await code({ body: 'y' }), 'digest_mismatch');
    assert.equal(await code({ headers: [] }), 'signature_missing');
    assert.equal(await code({ body: 'x' }), 'ok');
    assert.equal(await code({}), 'signature_replayed');
    const later = createTestVerifier({ clientId, publicKey: publicKeyPem, now: () => Date.now() + 400_000 });
    assert.deepEqual(((await later(request)) as { code: string }).code, 'created_expired');
    const other = createTestVerifier({ clientId: 'other', publicKey: publicKeyPem });
    assert.deepEqual(((await other(request)) as { code: string }).code, 'signature_invalid');
    const open = createTestVerifier({
      clientId,
      publicKey: publicKeyPem,
      acceptWithoutDate: true,
      nonce: 'required',
    });
    const odd = await signerOnNode({ coverDate: false, nonce: true }).sign({
      method: 'GET',
      url: 'https://a.test/',
    });
    assert.deepEqual(await open({ ...odd, headers: Object.entries(odd.headers) }), { ok: true });
    await assert.rejects(createTestVerifier({ clientId, publicKey: 'none' })(request), TypeError);
  });
});
