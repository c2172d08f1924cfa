import { readFileSync } from 'node:fs';
import { hmacKey } from '../../src/messages/hmac.ts';
import {
  createSignature,
  defineProfile,
  type HttpMessage,
  type MessageAlgorithm,
  type MessageSignature,
  type MessageSigningKey,
  type MessageVerifyingKey,
  type RequestMessage,
} from '../../src/on-web/messages.ts';
import { messageAlgorithms } from '../../src/messages/algorithms.ts';
import { type InnerList, parseDictionary } from '../../src/rfc9421/structured-fields.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';
import { anySignature } from './profile-examples.ts';
import { exampleFile, readVectors, testSuite, vectorNames, verdict } from './suites.ts';

interface AppendixMessage {
  readonly type: 'request' | 'response';
  readonly method?: string;
  readonly url?: string;
  readonly statusCode?: number;
  readonly headers: readonly [string, string][];
  readonly body?: string;
}

interface AppendixVector {
  readonly id: string;
  readonly message: AppendixMessage;
  readonly requestMessage?: AppendixMessage;
  readonly signingParams: {
    readonly label: string;
    readonly components: readonly (
      | string
      | { readonly name: string; readonly params: Record<string, string> }
    )[];
    readonly keyId: string;
    readonly algorithm: MessageAlgorithm;
  };
  readonly expectedBase: string;
  readonly expectedSignatureInput: string;
  /** Of an algorithm without randomness. */
  readonly expectedSignature?: string;
  readonly verifyOnlySignature?: string;
}

function messageOf(vector: AppendixMessage, request?: AppendixMessage): HttpMessage {
  const { type, method, url, statusCode, headers, body } = vector;
  const common = { headers, body: body === undefined ? undefined : new TextEncoder().encode(body) };
  if (type === 'request') return { ...common, method: method!, targetUri: url! };
  return {
    ...common,
    status: statusCode!,
    ...(request && { request: messageOf(request) as RequestMessage }),
  };
}

interface AppendixKeys {
  readonly keys: Readonly<
    Record<
      string,
      { readonly publicKeyPem: string; readonly privateKeyPem: string; readonly secretBase64?: string }
    >
  >;
}

/** The suite names files of keys, which are those of RFC 9421 appendix B.1. */
function keyOf({ signingParams: { keyId } }: AppendixVector): AppendixKeys['keys'][string] {
  return (JSON.parse(readFileSync(exampleFile, 'utf8')) as AppendixKeys).keys[keyId]!;
}

async function verifyingKeyOf(
  vector: AppendixVector,
  platform: MessagesPlatform,
): Promise<MessageVerifyingKey> {
  const { publicKeyPem, secretBase64 } = keyOf(vector);
  const { algorithm } = vector.signingParams;
  if (secretBase64 !== undefined) return hmacKey(Buffer.from(secretBase64, 'base64'));
  return platform.verifyingKey(publicKeyPem, { algorithm, allowPublishedTestKeys: true });
}

async function signingKeyOf(vector: AppendixVector, platform: MessagesPlatform): Promise<MessageSigningKey> {
  const { privateKeyPem, secretBase64 } = keyOf(vector);
  const { algorithm } = vector.signingParams;
  if (secretBase64 !== undefined) return hmacKey(Buffer.from(secretBase64, 'base64'));
  return platform.signingKey(privateKeyPem, { algorithm });
}

/** Signs as the vector asks, with its parameters in its order. */
async function signed(vector: AppendixVector, key: MessageSigningKey): Promise<MessageSignature> {
  const { message, requestMessage, signingParams, expectedSignatureInput } = vector;
  const { label, components } = signingParams;
  const input = parseDictionary(expectedSignatureInput)!.get(label) as InnerList;
  const parameters = Object.fromEntries([...input.parameters].map(([name, { value }]) => [name, value]));
  return createSignature(messageOf(message, requestMessage), {
    label,
    components: components.map((component) =>
      typeof component === 'string'
        ? component
        : Object.entries(component.params).reduce(
            (text, [name, value]) => `${text};${name}="${value}"`,
            `"${component.name}"`,
          ),
    ),
    parameters,
    key,
  });
}

/** Returns a signature without its label and colons. */
function bytesIn(field: string): string {
  return field.replace(/^[^=]+=:|:$/g, '');
}

async function verified(
  vector: AppendixVector,
  signature: string,
  platform: MessagesPlatform,
): Promise<string> {
  const { message, requestMessage, signingParams, expectedSignatureInput } = vector;
  const received = messageOf(message, requestMessage);
  const key = await verifyingKeyOf(vector, platform);
  const headers = [
    ...(received.headers as readonly [string, string][]),
    ['Signature-Input', expectedSignatureInput] as const,
    ['Signature', `${signingParams.label}=:${signature}:`] as const,
  ];
  return verdict(
    platform,
    { ...received, headers },
    {
      profile: defineProfile({ ...anySignature, message: message.type, digests: ['sha-512'] }),
      keysFor: ({ keyid }) => (keyid === signingParams.keyId ? key : undefined),
    },
  );
}

function vectors(): readonly AppendixVector[] {
  return vectorNames('zourzouvillys/vectors').map(
    (name) => readVectors(`zourzouvillys/vectors/${name}.json`) as AppendixVector,
  );
}

testSuite("zourzouvillys' bases and fields of appendix B", {
  total: 7,
  cases: () =>
    vectors().map((vector) => ({
      id: vector.id,
      expected: `${vector.expectedSignatureInput}\n${vector.expectedBase}`,
      outcome: async () => {
        const { algorithm } = vector.signingParams;
        const { min } = messageAlgorithms[algorithm].signatureBytes;
        const key = { algorithm, sign: () => new Uint8Array(min) };
        const { headers, signatureBase } = await signed(vector, key);
        return `${headers['Signature-Input']}\n${signatureBase}`;
      },
    })),
});

for (const platform of platforms) {
  testSuite(`zourzouvillys' signatures without randomness, ${platform.name}`, {
    total: 3,
    cases: () =>
      vectors()
        .filter(({ expectedSignature }) => expectedSignature !== undefined)
        .map((vector) => ({
          id: vector.id,
          expected: vector.expectedSignature!,
          outcome: async () => {
            const { headers } = await signed(vector, await signingKeyOf(vector, platform));
            return bytesIn(headers.Signature);
          },
        })),
  });

  testSuite(`zourzouvillys' signatures to verify, ${platform.name}`, {
    total: 6,
    cases: () =>
      vectors().flatMap((vector) => {
        const signature = vector.verifyOnlySignature ?? vector.expectedSignature;
        if (signature === undefined) return [];
        return [
          { id: vector.id, expected: 'accepted', outcome: () => verified(vector, signature, platform) },
        ];
      }),
  });

  testSuite(
    `our signatures of zourzouvillys' messages, as they are and with a changed bit, ${platform.name}`,
    {
      total: 7,
      cases: () =>
        vectors().map((vector) => ({
          id: vector.id,
          expected: 'accepted, then signature_invalid',
          outcome: async () => {
            let key: MessageSigningKey;
            try {
              key = await signingKeyOf(vector, platform);
            } catch (error) {
              if (error instanceof TypeError) return 'the private key is refused';
              throw error;
            }
            const { headers } = await signed(vector, key);
            const signature = bytesIn(headers.Signature);
            const changed = Buffer.from(signature, 'base64');
            changed[0]! ^= 1;
            const first = await verified(vector, signature, platform);
            return `${first}, then ${await verified(vector, changed.toString('base64'), platform)}`;
          },
        })),
    },
  );
}
