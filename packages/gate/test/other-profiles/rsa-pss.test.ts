import assert from 'node:assert/strict';
import { constants, randomBytes, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  type MessageProfile,
  messageProfiles,
  type MessageSigningKey,
  signingKey,
} from '@countersign/signature/messages/node';
import { createSigner } from '@countersign/signature/node';
import { nowMs } from '@countersign/testing/draft';
import { makeKeyPair } from '@countersign/testing/key-pair';
import {
  addParty,
  apiForAll,
  codeFor,
  freshUrl,
  operatorsOwn,
  type Party,
  profiles,
  type Sent,
  signed,
  signedOtherwise,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * RSA keys for RSASSA-PSS: each is used with one algorithm, whatever a signature says.
 */

const rsaAlgorithms = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'] as const;
type RsaAlgorithm = (typeof rsaAlgorithms)[number];

const { agentPayments2025, fapi2Request01, webBotAuth01 } = messageProfiles;
/** Signs with every algorithm of RSA, and may announce it. */
const everyRsa: MessageProfile = {
  ...operatorsOwn,
  id: 'every-rsa-1',
  parameters: { created: 'required', keyid: 'required', alg: 'allowed' },
  algorithms: rsaAlgorithms,
};
const scene = apiForAll([...profiles, everyRsa]);

/** The parties that have PSS keys, by every profile with which they can sign. */
const pairs: readonly (readonly [MessageProfile, RsaAlgorithm])[] = [...profiles, everyRsa].flatMap(
  (profile) =>
    rsaAlgorithms
      .filter((algorithm) => algorithm !== 'rsa-v1_5-sha256' && profile.algorithms.includes(algorithm))
      .map((algorithm) => [profile, algorithm] as const),
);

const keyOf = ({ keys }: Party, algorithm: RsaAlgorithm): MessageSigningKey =>
  signingKey(keys.privateKey, { algorithm });

const withAlg = (sent: Sent, alg: string | undefined): Sent =>
  withLine(sent, 'Signature-Input', (line) =>
    line.replace(/;alg="[^"]*"/, '').replace(/(\);)/, alg === undefined ? '$1' : `$1alg="${alg}";`),
  );

describe('a key for RSASSA-PSS', () => {
  assert.ok(pairs.some(([profile]) => profile === fapi2Request01));
  for (const [profile, algorithm] of pairs)
    test(`${profile.id}, ${algorithm}: signs, once for each base, with any salt`, async () => {
      const party = await addParty(scene.api, profile, algorithm);
      const url = freshUrl();
      const draft = { method: 'POST', url, body: '{"amount":1}', signature: nonceOf(profile) };
      const [first, second] = [await signed(party, draft), await signed(party, draft)];
      const line = ({ lines }: Sent, name: string): unknown => lines.find(([own]) => own === name)?.[1];
      assert.equal(line(first, 'Signature-Input'), line(second, 'Signature-Input'));
      assert.notEqual(line(first, 'Signature'), line(second, 'Signature'), 'the salt is new');
      assert.equal(await codeFor(scene.api, first), 'accepted');
      assert.equal(await codeFor(scene.api, second), 'signature_replayed');
    });

  for (const own of rsaAlgorithms)
    for (const by of rsaAlgorithms)
      test(`for ${own}, with a signature by ${by}, is accepted only if both are the same`, async () => {
        const party = await addParty(scene.api, everyRsa, own);
        const without = await signed(party, { key: keyOf(party, by) });
        assert.equal(
          await codeFor(scene.api, without),
          own === by ? 'accepted' : 'signature_invalid',
          'without alg',
        );
        for (const alg of rsaAlgorithms) {
          const announced =
            alg === 'PS256'
              ? withAlg(await signed(party, { key: keyOf(party, by) }), alg)
              : await signedAs(party, by, alg);
          const isRight = own === by && alg === own && alg !== 'PS256';
          const code = alg === 'PS256' ? 'algorithm_not_allowed' : 'signature_invalid';
          assert.equal(await codeFor(scene.api, announced), isRight ? 'accepted' : code, `alg ${alg}`);
        }
      });

  test('signs with a salt as long as the hash, and no other', async () => {
    for (const [profile, algorithm, hashName, saltBytes] of [
      [fapi2Request01, 'PS256', 'sha256', 32],
      [webBotAuth01, 'rsa-pss-sha512', 'sha512', 64],
    ] as const) {
      const party = await addParty(scene.api, profile, algorithm);
      for (const saltLength of [0, 20, 32, 64, constants.RSA_PSS_SALTLEN_MAX_SIGN]) {
        const padding = constants.RSA_PKCS1_PSS_PADDING;
        const signs = (base: Uint8Array): Buffer =>
          sign(hashName, base, { key: party.keys.privateKey, padding, saltLength });
        const sent = await signed(party, { key: { algorithm, sign: signs } });
        const expected = saltLength === saltBytes ? 'accepted' : 'signature_invalid';
        assert.equal(await codeFor(scene.api, sent), expected, `${algorithm}, ${saltLength} bytes`);
      }
    }
  });

  test('never signs by the closed profile, for a client that has it, or another', async () => {
    const keyPair = makeKeyPair();
    const party = await addParty(scene.api, agentPayments2025, 'PS256', { keyPair });
    const url = freshUrl();
    const { headers } = createSigner({
      keyid: party.clientId,
      privateKey: keyPair.privateKey,
      nowMs,
    }).sign({ method: 'GET', url });
    const sent: Sent = { method: 'GET', url, lines: Object.entries(headers) };
    assert.equal(await codeFor(scene.api, sent), 'signature_invalid');
    for (const alg of ['rsa-pss-sha512', 'PS256'])
      assert.equal(await codeFor(scene.api, withAlg(sent, alg)), 'algorithm_not_allowed', alg);
  });
});

/** Signs with one algorithm and announces another, in the signature base too. */
function signedAs(party: Party, by: RsaAlgorithm, alg: string): Promise<Sent> {
  // What signs does not know what is announced.
  const key: MessageSigningKey = { algorithm: alg as RsaAlgorithm, sign: keyOf(party, by).sign };
  return signedOtherwise({ ...party, key }, {}, ({ parameters }) => ({ parameters: { ...parameters, alg } }));
}

/** The same nonce for two signatures, where a profile has one; the base is the same without. */
function nonceOf({ parameters }: MessageProfile): { readonly nonce?: string } {
  return parameters.nonce === undefined ? {} : { nonce: randomBytes(64).toString('base64') };
}
