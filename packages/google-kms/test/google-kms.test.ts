/**
 * Google Cloud KMS itself cannot be reached from tests. These use Google's own library for credentials, and a double of the
 * service over real HTTP, as `google-double.ts` says.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type GoogleKmsOptions, openGoogleKms } from '@countersign/google-kms';
import { assertAccepted, assertRejects } from '@countersign/testing/stored-keys';
import { OAuth2Client } from 'google-auth-library';
import {
  type GoogleDouble,
  googleToken,
  openGoogleDouble,
  pssVersionName,
  refusal,
  slowCrc32c,
  versionName,
} from './google-double.ts';

describe('a key in Google Cloud KMS', () => {
  let google: GoogleDouble;
  const bytes = Buffer.from('"@method": GET');
  const withToken = (token: string): OAuth2Client => {
    const client = new OAuth2Client();
    client.setCredentials({ access_token: token, expiry_date: Date.now() + 3_600_000 });
    return client;
  };
  const open = (options: Partial<GoogleKmsOptions> = {}): ReturnType<typeof openGoogleKms> =>
    openGoogleKms({ address: google.address, auth: withToken(googleToken), timeoutMs: 20_000, ...options });

  // One for each test: a call that one of them gave up may still arrive.
  beforeEach(async () => {
    google = await openGoogleDouble();
  });
  afterEach(() => google.close());

  it('signs what our verifier and a running service accept', () =>
    assertAccepted(open().openKey(versionName)));

  it('looks at its algorithm once, then sends a digest with its checksum', async () => {
    const key = open().openKey(versionName);
    await key.sign(bytes);
    await key.sign(bytes);
    assert.deepEqual(
      google.received.map(({ method, target }) => `${method} ${target}`),
      [
        `GET /v1/${versionName}/publicKey`,
        `POST /v1/${versionName}:asymmetricSign`,
        `POST /v1/${versionName}:asymmetricSign`,
      ],
    );
    const digest = 'qNW3/RiEYduCsQFA6W3eZ7SgwSgflZ3TjmUs/dtatWg=';
    const digestCrc32c = String(slowCrc32c(Buffer.from(digest, 'base64')));
    assert.deepEqual(google.received[1]!.body, { digest: { sha256: digest }, digestCrc32c });
  });

  it('compares checksums of the Castagnoli polynomial', () => {
    // RFC 3720 appendix B.4: 32 bytes of zeros, as the number that their CRC bytes are in little endian.
    assert.equal(slowCrc32c(new Uint8Array(32)), 0x8a9136aa);
  });

  it('is replaced by a new version, once that can sign', async () => {
    google.generating = 2;
    const made = await open().createKey(versionName);
    assert.equal(made.keyId, versionName.replace(/\d+$/, '2'));
    assert.equal(google.versions.get(made.keyId)!.state, 'ENABLED');
    await assertAccepted(made);
  });

  it('is never made twice', async () => {
    const { size } = google.versions;
    google.next.push('cut');
    await assertRejects(() => open().createKey(versionName), 'store_unavailable', /cannot be reached/);
    assert.deepEqual([google.received.length, google.versions.size], [1, size]);
  });

  it('that signs in another way is not used: nothing is signed', async () => {
    await assertRejects(
      () => open().openKey(pssVersionName).sign(bytes),
      'key_unusable',
      /RSA_SIGN_PSS_2048_SHA256/,
    );
    assert.equal(google.received.length, 1);
  });

  it('that cannot sign says why', async () => {
    const other = versionName.replace('signing', 'other');
    await assertRejects(() => open().openKey(other).sign(bytes), 'key_not_found', /other.* not found/);
    google.versions.get(versionName)!.state = 'DISABLED';
    await assertRejects(
      () => open().openKey(versionName).sign(bytes),
      'key_unusable',
      /current state is: DISABLED/,
    );
    google.versions.get(versionName)!.state = 'ENABLED';
    assert.equal((await open().openKey(versionName).sign(bytes)).length, 256);
  });

  it('may not be used: says so, and holds no token', async () => {
    const key = open({ auth: withToken('ya29.another-token') }).openKey(versionName);
    await assertRejects(() => key.sign(bytes), 'access_denied', /401: Request had invalid/, ['ya29']);
    google.next.push(
      refusal(
        403,
        'PERMISSION_DENIED',
        "Permission 'cloudkms.cryptoKeyVersions.useToSign' denied on resource",
      ),
    );
    await assertRejects(() => open().openKey(versionName).sign(bytes), 'access_denied', /useToSign/);
    const auth = { getRequestHeaders: () => Promise.reject(new Error('assertion=a-secret')) };
    await assertRejects(
      () => open({ auth }).openKey(versionName).sign(bytes),
      'access_denied',
      /no credentials/,
      ['a-secret'],
    );
  });

  const passing = [
    [
      'throttles',
      refusal(429, 'RESOURCE_EXHAUSTED', "Quota exceeded for quota metric 'HSM asymmetric requests'"),
    ],
    ['is unavailable', refusal(503, 'UNAVAILABLE', 'The service is currently unavailable.')],
    ['closes the connection', 'cut'],
  ] as const;
  for (const [what, failure] of passing) {
    it(`signs when the service ${what} for a moment`, async () => {
      google.next.push(failure, failure);
      assert.equal((await open().openKey(versionName).sign(bytes)).length, 256);
    });
  }

  describe('whose answers are damaged', () => {
    const signature = Buffer.alloc(256, 1);
    const good = {
      name: versionName,
      signature: signature.toString('base64'),
      signatureCrc32c: String(slowCrc32c(signature)),
      verifiedDigestCrc32c: true,
    };
    const damages = [
      ['with a digest that was not compared', { ...good, verifiedDigestCrc32c: false }],
      ['with another checksum', { ...good, signatureCrc32c: '1' }],
      ['without a checksum', { ...good, signatureCrc32c: undefined }],
    ] as const;
    for (const [what, body] of damages) {
      it(`${what} signs at the next try, and gives up when all are so`, async () => {
        const key = open().openKey(versionName);
        await key.publicKey();
        google.next.push({ status: 200, body });
        assert.equal((await key.sign(bytes)).length, 256);
        google.next.push(...Array.from({ length: 4 }, () => ({ status: 200, body })));
        await assertRejects(() => key.sign(bytes), 'answer_invalid', /damaged on its way/);
      });
    }

    it('or from another key are not believed', async () => {
      const key = open().openKey(versionName);
      await key.publicKey();
      google.next.push({ status: 200, body: { ...good, name: pssVersionName } });
      await assertRejects(() => key.sign(bytes), 'answer_invalid', /another key/);
    });
  });

  it('refuses names that no version has, and addresses without TLS', () => {
    for (const keyId of [
      'signing',
      versionName.replace(/\/cryptoKeyVersions.*/, ''),
      `${versionName}/../2`,
      `${versionName}?a`,
      '',
    ])
      assert.throws(() => open().openKey(keyId), { code: 'options_invalid' });
    assert.throws(() => open({ address: 'http://kms.example.com' }), { code: 'options_invalid' });
    openGoogleKms();
  });
});
