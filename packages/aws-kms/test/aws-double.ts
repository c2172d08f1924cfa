import { createPublicKey, randomUUID, sign } from 'node:crypto';
import {
  type DoubleAnswer,
  type DoubleRequest,
  type HttpDouble,
  openHttpDouble,
} from '@countersign/testing/http-double';
import { type KeyPair, makeKeyPair } from '@countersign/testing/key-pair';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { signDigest } from '@countersign/testing/sign-digest';

/**
 * A double of AWS KMS, not KMS itself: AWS JSON 1.1 over HTTP, with targets, members and errors as in the API reference. It
 * looks at the form of the request's own signature (SigV4) without checking it. RSA is done for real.
 */
export interface AwsDouble extends HttpDouble {
  /** Keys by ARN. */
  readonly keys: Map<string, DoubleKey>;
  /** How many requests do not know a new key yet: the service is eventually consistent. */
  lag: number;
}

interface DoubleKey extends KeyPair {
  readonly spec: string;
  readonly usage: string;
  readonly policy: string;
  readonly description: string;
  isEnabled: boolean;
  lag: number;
}

export const awsCredentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'not-a-secret-access-key-of-anybody',
  sessionToken: 'not-a-session-token-of-anybody',
};

const prefix = 'arn:aws:kms:eu-central-1:111122223333:';
export const keyArn: string = `${prefix}key/1234abcd-12ab-34cd-56ef-1234567890ab`;
export const encryptionKeyArn: string = `${prefix}key/1234abcd-12ab-34cd-56ef-1234567890ac`;

export async function openAwsDouble(): Promise<AwsDouble> {
  const made = { policy: '{"Version":"2012-10-17"}', description: 'shop', isEnabled: true, lag: 0 };
  const keys = new Map<string, DoubleKey>([
    [keyArn, { ...publishedKeyPair('rsa-2048-a'), spec: 'RSA_2048', usage: 'SIGN_VERIFY', ...made }],
    [
      encryptionKeyArn,
      { ...publishedKeyPair('rsa-2048-b'), spec: 'RSA_2048', usage: 'ENCRYPT_DECRYPT', ...made },
    ],
  ]);
  const room = { keys, lag: 0 };
  const double = await openHttpDouble((request) => answer(request, room));
  return Object.assign(room, double);
}

type Room = Pick<AwsDouble, 'keys' | 'lag'>;

function answer({ headers, body }: DoubleRequest, room: Room): DoubleAnswer {
  const authorization = String(headers['authorization']);
  if (!/^AWS4-HMAC-SHA256 Credential=AKIA\w+\/\d{8}\/eu-central-1\/kms\/aws4_request, /.test(authorization))
    return refusal('MissingAuthenticationTokenException', 'Missing Authentication Token', 403);
  const [service, operation] = String(headers['x-amz-target']).split('.');
  if (service !== 'TrentService' || headers['content-type'] !== 'application/x-amz-json-1.1')
    return refusal('UnknownOperationException', '');
  if (operation === 'CreateKey') return createKey(body, room);
  const asked = String(body['KeyId']);
  const arn = arnOf(asked);
  const key = room.keys.get(arn);
  if (!key || key.lag-- > 0) return refusal('NotFoundException', `Key '${asked}' does not exist`);
  switch (operation) {
    case 'Sign':
      return signed(arn, key, body);
    case 'GetPublicKey':
      return described(arn, key);
    case 'DescribeKey':
      return ok({ KeyMetadata: metadataOf(arn, key) });
    case 'GetKeyPolicy':
      return ok({ Policy: key.policy, PolicyName: 'default' });
    default:
      return refusal('UnknownOperationException', '');
  }
}

function arnOf(asked: string): string {
  if (asked === 'alias/shop' || asked === `${prefix}alias/shop`) return keyArn;
  return asked.startsWith('arn:') ? asked : `${prefix}key/${asked}`;
}

function signed(arn: string, key: DoubleKey, body: DoubleRequest['body']): DoubleAnswer {
  if (!key.isEnabled) return refusal('DisabledException', `${arn} is disabled.`);
  if (key.usage !== 'SIGN_VERIFY')
    return refusal(
      'InvalidKeyUsageException',
      `${arn} key usage is ${key.usage} which is not valid for Sign.`,
    );
  const message = Buffer.from(String(body['Message']), 'base64');
  if (message.length > 4096)
    return refusal('ValidationException', "1 validation error detected: Value at 'message' …");
  const isDigest = body['MessageType'] === 'DIGEST';
  const signature = isDigest ? signDigest(key.privateKey, message) : sign('sha256', message, key.privateKey);
  const { SigningAlgorithm } = body;
  return ok({ KeyId: arn, Signature: signature.toString('base64'), SigningAlgorithm });
}

function described(arn: string, key: DoubleKey): DoubleAnswer {
  const spki = createPublicKey(key.publicKey).export({ type: 'spki', format: 'der' });
  const signing = ['PSS_SHA_256', 'PKCS1_V1_5_SHA_256'].map((name) => `RSASSA_${name}`);
  return ok({
    CustomerMasterKeySpec: key.spec,
    KeyId: arn,
    KeySpec: key.spec,
    KeyUsage: key.usage,
    PublicKey: spki.toString('base64'),
    ...(key.usage === 'SIGN_VERIFY'
      ? { SigningAlgorithms: signing }
      : { EncryptionAlgorithms: ['RSAES_OAEP_SHA_256'] }),
  });
}

function createKey(body: DoubleRequest['body'], room: Room): DoubleAnswer {
  const arn = `${prefix}key/${randomUUID()}`;
  const key = {
    ...makeKeyPair(),
    spec: String(body['KeySpec']),
    usage: String(body['KeyUsage']),
    policy: String(body['Policy']),
    description: String(body['Description']),
    isEnabled: true,
    lag: room.lag,
  };
  room.keys.set(arn, key);
  return ok({ KeyMetadata: metadataOf(arn, key) });
}

function metadataOf(arn: string, key: DoubleKey): Readonly<Record<string, unknown>> {
  return {
    AWSAccountId: '111122223333',
    Arn: arn,
    CreationDate: 1_730_000_000.123,
    Description: key.description,
    Enabled: key.isEnabled,
    KeyId: arn.split('/')[1],
    KeyManager: 'CUSTOMER',
    KeySpec: key.spec,
    KeyState: key.isEnabled ? 'Enabled' : 'Disabled',
    KeyUsage: key.usage,
    MultiRegion: false,
    Origin: 'AWS_KMS',
  };
}

const type = {
  'Content-Type': 'application/x-amz-json-1.1',
  'x-amzn-RequestId': '6f4b1c67-1f6a-4e0b-9f5e-0d1c5c7c9a3e',
};

function ok(body: Readonly<Record<string, unknown>>): DoubleAnswer {
  return { status: 200, headers: type, body };
}

/** An error in the form of AWS JSON 1.1. */
export function refusal(name: string, message: string, status = 400): DoubleAnswer {
  return { status, headers: type, body: { __type: name, message } };
}
