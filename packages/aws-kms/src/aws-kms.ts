import {
  CreateKeyCommand,
  type CreateKeyCommandInput,
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetPublicKeyCommand,
  KMSClient,
  type KMSClientConfig,
  SignCommand,
} from '@aws-sdk/client-kms';
import { type KeyStore, KeyStoreError, type StoredKey } from '@countersign/key-store';
import {
  type AttemptSettings,
  Attempts,
  optionsInvalid,
  publicKeyPem,
  sha256Of,
  signatureOf,
} from '@countersign/key-store/building';
import { failureOf } from './failures.ts';

export interface AwsKmsOptions extends AttemptSettings {
  /** The region of the keys. Default: the AWS SDK's, such as from `AWS_REGION`. */
  readonly region?: string | undefined;
  /** Credentials, or a provider of them. Default: the AWS SDK's: environment, profile, role. */
  readonly credentials?: KMSClientConfig['credentials'] | undefined;
  /** Another address of the service, such as a VPC endpoint. */
  readonly endpoint?: string | undefined;
}

/**
 * Opens AWS KMS. Keys are named by their ARN, by their ID, or by an alias.
 *
 * @throws KeyStoreError for invalid options
 *
 * @example
 * const store = openAwsKms({ region: 'eu-central-1' });
 * const key = store.openKey('arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab');
 */
export function openAwsKms(options: AwsKmsOptions = {}): KeyStore {
  const { region, credentials, endpoint } = options;
  const attempts = new Attempts(storeName, options);
  const client = new KMSClient({
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
    // Attempts are counted in one place, and creating a key must not be repeated.
    maxAttempts: 1,
  });

  function openKey(keyId: string): StoredKey {
    checkKeyId(keyId);
    return {
      keyId,
      sign: (bytes) => {
        const command = {
          KeyId: keyId,
          // A message is limited to 4,096 bytes; a digest is enough.
          Message: sha256Of(bytes),
          MessageType: 'DIGEST',
          SigningAlgorithm: signingAlgorithm,
        } as const;
        return attempts.repeatable(async (abortSignal) => {
          const answer = await settle(keyId, client.send(new SignCommand(command), { abortSignal }));
          checkKey(keyId, answer.KeyId);
          if (answer.SigningAlgorithm !== signingAlgorithm)
            throw new KeyStoreError('answer_invalid', `${storeName} signed with another algorithm.`);
          return signatureOf(answer.Signature, storeName);
        });
      },
      publicKey: () => attempts.repeatable((signal) => readPublicKey(keyId, signal)),
    };
  }

  async function readPublicKey(keyId: string, abortSignal: AbortSignal): Promise<string> {
    const command = new GetPublicKeyCommand({ KeyId: keyId });
    const answer = await settle(keyId, client.send(command, { abortSignal }));
    checkKey(keyId, answer.KeyId);
    if (answer.KeyUsage !== 'SIGN_VERIFY' || !answer.SigningAlgorithms?.includes(signingAlgorithm)) {
      const what = `${answer.KeySpec ?? 'of an unknown type'} for ${answer.KeyUsage ?? 'an unknown use'}`;
      throw new KeyStoreError(
        'key_unusable',
        `The key ${keyId} is ${what}; create one with RSA_3072 for SIGN_VERIFY.`,
      );
    }
    return publicKeyPem(answer.PublicKey ?? new Uint8Array(), keyId);
  }

  async function createKey(likeKeyId: string): Promise<StoredKey> {
    checkKeyId(likeKeyId);
    const model = await attempts.repeatable((signal) => readModel(client, likeKeyId, signal));
    const arn = await attempts.once(async (abortSignal) => {
      const { KeyMetadata } = await settle(
        likeKeyId,
        client.send(new CreateKeyCommand(model), { abortSignal }),
      );
      return KeyMetadata?.Arn;
    });
    if (arn === undefined)
      throw new KeyStoreError('answer_invalid', `${storeName} did not say which key it has made.`);
    await attempts.repeatable((signal) => readyKey(arn, signal)).catch(() => undefined);
    return openKey(arn);
  }

  /** A new key takes some seconds to propagate. */
  async function readyKey(arn: string, signal: AbortSignal): Promise<void> {
    try {
      await readPublicKey(arn, signal);
    } catch (error) {
      const isNew = error instanceof KeyStoreError && error.code === 'key_not_found';
      throw isNew ? new KeyStoreError('key_not_found', error.message, true) : error;
    }
  }

  return { openKey, createKey, close: async () => client.destroy() };
}

const storeName = 'AWS KMS';
const signingAlgorithm = 'RSASSA_PKCS1_V1_5_SHA_256';

/** Returns the input for creating a key like another one. */
async function readModel(
  client: KMSClient,
  keyId: string,
  abortSignal: AbortSignal,
): Promise<CreateKeyCommandInput> {
  const described = client.send(new DescribeKeyCommand({ KeyId: keyId }), { abortSignal });
  const { KeyMetadata: { Arn, KeySpec, Description, MultiRegion } = {} } = await settle(keyId, described);
  // The default policy would let only the account itself sign.
  const asked = client.send(new GetKeyPolicyCommand({ KeyId: Arn }), { abortSignal });
  const { Policy } = await settle(keyId, asked);
  return { KeyUsage: 'SIGN_VERIFY', KeySpec, Policy, Description, MultiRegion };
}

async function settle<T>(keyId: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw failureOf(error, keyId);
  }
}

const keyPattern = '(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const arnPattern = 'arn:[a-z-]+:kms:[a-z0-9-]+:\\d{12}:';
const keyIdPattern = new RegExp(
  `^(?:${keyPattern}|${arnPattern}key/${keyPattern}|(?:${arnPattern})?alias/[\\w/-]{1,250})$`,
);

function checkKeyId(keyId: string): void {
  if (typeof keyId === 'string' && keyIdPattern.test(keyId)) return;
  throw optionsInvalid(
    'A key in AWS KMS is named by its ARN, its ID or an alias, such as "arn:aws:kms:…:key/…" or "alias/shop".',
  );
}

/** The response names the key by its ARN, whatever name was requested. */
function checkKey(keyId: string, answered: string | undefined): void {
  const isOther = !keyId.includes('alias/') && answered !== keyId && !answered?.endsWith(`:key/${keyId}`);
  if (isOther || answered === undefined)
    throw new KeyStoreError('answer_invalid', `${storeName} answered for another key than ${keyId}.`);
}
