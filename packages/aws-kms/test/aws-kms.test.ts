/**
 * AWS KMS itself cannot be reached from tests. These use the real SDK of AWS and a double of the service over real HTTP, as
 * `aws-double.ts` says.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type AwsKmsOptions, openAwsKms } from '@countersign/aws-kms';
import { assertAccepted, assertRejects } from '@countersign/testing/stored-keys';
import {
  type AwsDouble,
  awsCredentials,
  encryptionKeyArn,
  keyArn,
  openAwsDouble,
  refusal,
} from './aws-double.ts';

describe('a key in AWS KMS', () => {
  let aws: AwsDouble;
  const open = (options: Partial<AwsKmsOptions> = {}): ReturnType<typeof openAwsKms> =>
    openAwsKms({
      region: 'eu-central-1',
      endpoint: aws.address,
      credentials: awsCredentials,
      timeoutMs: 20_000,
      ...options,
    });
  const bytes = Buffer.from('"@method": GET');
  const secrets = [awsCredentials.secretAccessKey, awsCredentials.sessionToken];

  // One for each test: a call that one of them gave up may still arrive.
  beforeEach(async () => {
    aws = await openAwsDouble();
  });
  afterEach(() => aws.close());

  it('signs what our verifier and a running service accept', () => assertAccepted(open().openKey(keyArn)));

  it('sends a digest, and nothing of what is signed', async () => {
    await open().openKey(keyArn).sign(bytes);
    const [call] = aws.received;
    assert.equal(call!.headers['x-amz-target'], 'TrentService.Sign');
    assert.deepEqual(call!.body, {
      KeyId: keyArn,
      Message: 'qNW3/RiEYduCsQFA6W3eZ7SgwSgflZ3TjmUs/dtatWg=',
      MessageType: 'DIGEST',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    });
  });

  it('has an ID and may have an alias', async () => {
    for (const keyId of [
      '1234abcd-12ab-34cd-56ef-1234567890ab',
      'alias/shop',
      keyArn.replace(/key\/.*/, 'alias/shop'),
    ])
      assert.equal((await open().openKey(keyId).sign(bytes)).length, 256);
  });

  it('is replaced by a key of its kind, with its policy, when the service knows it', async () => {
    aws.lag = 2;
    const made = await open().createKey('alias/shop');
    assert.match(made.keyId, /^arn:aws:kms:eu-central-1:111122223333:key\/[0-9a-f-]{36}$/);
    const { spec, usage, policy, description, publicKey } = aws.keys.get(made.keyId)!;
    const like = aws.keys.get(keyArn)!;
    assert.deepEqual(
      [spec, usage, policy, description],
      [like.spec, 'SIGN_VERIFY', like.policy, like.description],
    );
    assert.equal(await made.publicKey(), publicKey);
    await assertAccepted(made);
  });

  it('is never made twice', async () => {
    const count = aws.keys.size;
    const store = open();
    aws.received.length = 0;
    const create = store.createKey(keyArn);
    // After the two questions about the present key.
    while (aws.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    aws.next.push('cut');
    await assertRejects(() => create, 'store_unavailable', /AWS KMS could not use the key/, secrets);
    assert.deepEqual([aws.keys.size, aws.received.length], [count, 3]);
  });

  it('that cannot sign says why, asked once', async () => {
    const other = keyArn.replace('1234abcd', '99999999');
    await assertRejects(
      () => open().openKey(other).sign(bytes),
      'key_not_found',
      /NotFoundException\): Key '.*' does not exist/,
    );
    await assertRejects(
      () => open().openKey(encryptionKeyArn).sign(bytes),
      'key_unusable',
      /InvalidKeyUsage/,
    );
    await assertRejects(
      () => open().openKey(encryptionKeyArn).publicKey(),
      'key_unusable',
      /RSA_2048 for ENCRYPT_DECRYPT/,
    );
    aws.keys.get(keyArn)!.isEnabled = false;
    await assertRejects(() => open().openKey(keyArn).sign(bytes), 'key_unusable', /is disabled/);
    aws.keys.get(keyArn)!.isEnabled = true;
    assert.equal(aws.received.length, 4);
  });

  it('may not be used: says what AWS says, and no credentials', async () => {
    aws.next.push(
      refusal(
        'AccessDeniedException',
        'User: arn:aws:iam::111122223333:user/shop is not authorized to perform: kms:Sign',
      ),
      refusal(
        'InvalidSignatureException',
        `The Canonical String should have been x-amz-security-token:${awsCredentials.sessionToken}`,
        403,
      ),
    );
    await assertRejects(
      () => open().openKey(keyArn).sign(bytes),
      'access_denied',
      /not authorized to perform: kms:Sign/,
      secrets,
    );
    await assertRejects(
      () => open().openKey(keyArn).sign(bytes),
      'access_denied',
      /\(InvalidSignatureException\)$/,
      secrets,
    );
    const credentials = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('No credentials'), { name: 'CredentialsProviderError' }));
    await assertRejects(
      () => open({ credentials }).openKey(keyArn).sign(bytes),
      'access_denied',
      /No credentials/,
    );
  });

  const passing = [
    ['throttles', refusal('ThrottlingException', 'You have exceeded the rate at which you may call KMS.')],
    ['fails inside', refusal('KMSInternalException', 'internal', 500)],
    ['waits for an HSM in vain', refusal('DependencyTimeoutException', 'timed out', 503)],
    ['closes the connection', 'cut'],
  ] as const;
  for (const [what, failure] of passing) {
    it(`signs when the service ${what} for a moment`, async () => {
      aws.next.push(failure, failure);
      assert.equal((await open().openKey(keyArn).sign(bytes)).length, 256);
      assert.equal(aws.received.length, 3);
    });
  }

  it('gives up after four tries, and when the time is over', async () => {
    const throttled = refusal('ThrottlingException', 'You have exceeded the rate at which you may call KMS.');
    aws.next.push(...Array.from({ length: 4 }, () => throttled));
    await assertRejects(() => open().openKey(keyArn).sign(bytes), 'throttled', /\(ThrottlingException\)/);
    aws.next.push('hang', 'hang', 'hang');
    await assertRejects(
      () => open({ timeoutMs: 300 }).openKey(keyArn).sign(bytes),
      'store_unavailable',
      /in time/,
    );
  });

  it('believes no answer that is not one to its question', async () => {
    const signature = Buffer.alloc(256, 1).toString('base64');
    const good = { KeyId: keyArn, Signature: signature, SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256' };
    const answers = [
      [{ ...good, KeyId: encryptionKeyArn }, /another key/],
      [{ ...good, SigningAlgorithm: 'RSASSA_PSS_SHA_256' }, /another algorithm/],
      [{ ...good, Signature: 'AAAA' }, /3 bytes/],
    ] as const;
    for (const [body, message] of answers) {
      aws.next.push({ status: 200, headers: { 'Content-Type': 'application/x-amz-json-1.1' }, body });
      await assertRejects(() => open().openKey(keyArn).sign(bytes), 'answer_invalid', message);
    }
  });

  it('refuses names that no key has, and options that cannot be meant', () => {
    for (const keyId of ['shop', '', 'arn:aws:s3:::bucket', 'alias/', `${keyArn}/x`, '../key'])
      assert.throws(() => open().openKey(keyId), { code: 'options_invalid' });
    assert.throws(() => open({ timeoutMs: -1 }), { code: 'options_invalid' });
  });
});
