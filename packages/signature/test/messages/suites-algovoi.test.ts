import type { MessageAlgorithm, RequestMessage } from '../../src/on-web/messages.ts';
import { ComponentError, defineProfile, readComponentIdentifier } from '../../src/on-web/messages.ts';
import { type HttpMessage, readMessage } from '../../src/rfc9421/message.ts';
import { messageBase } from '../../src/rfc9421/message-base.ts';
import { type InnerList, parseDictionary } from '../../src/rfc9421/structured-fields.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';
import { anySignature } from './profile-examples.ts';
import {
  credulousKey,
  ed25519Jwk,
  keyVerdict,
  pointJwk,
  readVectors,
  spkiPem,
  testSuite,
  verdict,
} from './suites.ts';

interface BaseVector {
  readonly in: {
    readonly covered_components: readonly string[];
    readonly method?: string;
    readonly authority?: string;
    readonly path?: string;
    readonly scheme?: string;
    readonly target_uri?: string;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  };
  readonly mode: string;
  readonly ok: boolean;
  readonly signing_base_b64: string;
  readonly signature_params_raw?: string;
  readonly note: string;
}

interface FieldVector {
  readonly header: string;
  readonly ok: boolean;
  readonly note: string;
}

interface Battery {
  readonly signing_base: readonly BaseVector[];
  readonly signature_input_parse: readonly FieldVector[];
  readonly signature_value_parse: readonly FieldVector[];
  readonly keygate: readonly {
    readonly pk_hex: string;
    readonly rejected: string | null;
    readonly note: string;
  }[];
  readonly ed25519_verify: readonly {
    readonly signing_base_b64: string;
    readonly sig_hex: string;
    readonly pk_hex: string;
    readonly expect_valid: boolean;
    readonly note: string;
  }[];
  readonly ecdsa_verify: readonly {
    readonly curve: 'p256' | 'p384';
    readonly msg_hex: string;
    readonly pub_uncompressed_hex: string;
    readonly sig_raw_hex: string;
    readonly expect_valid: boolean;
    readonly note: string;
  }[];
  readonly rsa_verify: readonly {
    readonly alg: MessageAlgorithm;
    readonly signing_base_b64: string;
    readonly sig_hex: string;
    readonly pub_spki_hex: string;
    readonly expect_valid: boolean;
    readonly note: string;
  }[];
}

function battery(): Battery {
  return readVectors('algovoi/rfc9421_negative_v3.json') as Battery;
}

function idOf({ note }: { readonly note: string }, index: number): string {
  return `[${index}] ${note}`;
}

/** The suite gives some parts of a message only; the others are not covered. */
function messageOf({ in: given }: BaseVector): HttpMessage {
  const headers = Object.entries(given.headers ?? {});
  if (given.status !== undefined) return { status: given.status, headers };
  const { scheme = 'https', authority = 'api.example', path = '/' } = given;
  return {
    method: given.method ?? 'GET',
    targetUri: given.target_uri ?? `${scheme}://${authority}${path}`,
    headers,
  };
}

/** Returns the base with the suite's parameters, which do not name the covered components of every case. */
function baseOf(vector: BaseVector): string {
  const message = readMessage(messageOf(vector));
  if (typeof message === 'string') return 'the message is refused';
  const input = parseDictionary(`sig=${vector.signature_params_raw!}`)!.get('sig') as InnerList;
  try {
    const identifiers = vector.in.covered_components.map(readComponentIdentifier);
    return messageBase(input, identifiers, message).text;
  } catch (error) {
    if (error instanceof ComponentError) return 'the component is refused';
    throw error;
  }
}

const noComponent = {
  ours: 'the component is refused',
  reason: 'RFC 9421 section 2.3: created and expires are parameters; without such a header they are nothing',
};
const suiteParameters =
  '"@signature-params": ("@method" "@authority" "@path");created=1778955520;keyid="did:web:api";alg="ed25519"';

testSuite("AlgoVoi's bases", {
  total: 9,
  cases: () =>
    battery().signing_base.flatMap((vector, index) =>
      vector.mode === 'rfc9421'
        ? [
            {
              id: idOf(vector, index),
              expected: Buffer.from(vector.signing_base_b64, 'base64').toString(),
              outcome: () => baseOf(vector),
            },
          ]
        : [],
    ),
  differs: {
    '[3] carried from reference_vectors_v0 (frozen byte-parity control)': noComponent,
    '[9] carried from reference_vectors_v0 (frozen byte-parity control)': noComponent,
    '[15] header value OWS trimmed': {
      ours: `"x-ows": trimmed\n${suiteParameters}`,
      reason:
        "RFC 9421 section 2.1: white space around a line's value is removed, as the note says, and the suite's base does not",
    },
  },
  outOfScopeTotal: 13,
  outOfScope: () =>
    battery().signing_base.flatMap((vector, index) =>
      vector.mode === 'rfc9421'
        ? []
        : [
            {
              id: idOf(vector, index),
              reason: `the mode ${vector.mode} is not RFC 9421: it lower-cases methods and has no parameters`,
            },
          ],
    ),
});

const request: RequestMessage = { method: 'GET', targetUri: 'https://api.example/', headers: [] };

async function fieldVerdict(platform: MessagesPlatform, input: string, signature: string): Promise<string> {
  const outcome = await verdict(
    platform,
    {
      ...request,
      headers: [
        ['Signature-Input', input],
        ['Signature', signature],
      ],
    },
    {
      profile: defineProfile(anySignature),
      keysFor: () => credulousKey,
      nowSeconds: () => 1_778_955_520,
    },
  );
  return outcome === 'accepted' ? outcome : 'rejected';
}

for (const platform of platforms) {
  testSuite(`AlgoVoi's Signature-Input fields, ${platform.name}`, {
    total: 8,
    cases: () =>
      battery().signature_input_parse.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.ok ? 'accepted' : 'rejected',
        outcome: () => fieldVerdict(platform, vector.header, 'sig=:AAAA:'),
      })),
    differs: {
      '[1] well-formed unlabelled form': {
        ours: 'rejected',
        reason: 'RFC 9421 section 4.1: the field is a dictionary, so each member has a label',
      },
    },
  });

  testSuite(`AlgoVoi's Signature fields, ${platform.name}`, {
    total: 6,
    cases: () =>
      battery().signature_value_parse.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.ok ? 'accepted' : 'rejected',
        outcome: () => fieldVerdict(platform, 'sig=();created=1778955520', vector.header),
      })),
  });

  testSuite(`AlgoVoi's Ed25519 keys, ${platform.name}`, {
    total: 11,
    cases: () =>
      battery().keygate.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.rejected === null ? 'accepted' : 'rejected',
        outcome: async () => {
          const read = async (): Promise<typeof credulousKey> => {
            await platform.verifyingKey(ed25519Jwk(vector.pk_hex));
            return credulousKey;
          };
          return keyVerdict(read, Buffer.alloc(0), '');
        },
      })),
  });

  testSuite(`AlgoVoi's Ed25519 signatures, ${platform.name}`, {
    total: 10,
    cases: () =>
      battery().ed25519_verify.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_valid ? 'accepted' : 'rejected',
        outcome: () => {
          return keyVerdict(
            () => platform.verifyingKey(ed25519Jwk(vector.pk_hex)),
            Buffer.from(vector.signing_base_b64, 'base64'),
            vector.sig_hex,
          );
        },
      })),
  });

  testSuite(`AlgoVoi's ECDSA signatures, ${platform.name}`, {
    total: 32,
    cases: () =>
      battery().ecdsa_verify.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_valid ? 'accepted' : 'rejected',
        outcome: () =>
          keyVerdict(
            () =>
              platform.verifyingKey(
                pointJwk(vector.curve === 'p256' ? 'P-256' : 'P-384', vector.pub_uncompressed_hex),
              ),
            Buffer.from(vector.msg_hex, 'hex'),
            vector.sig_raw_hex,
          ),
      })),
    differs: {
      '[19] high-s malleable signature under strict-low-s, MUST reject': highS(),
      '[24] high-s malleable signature under strict-low-s, MUST reject': highS(),
    },
  });

  testSuite(`AlgoVoi's RSA signatures, ${platform.name}`, {
    total: 7,
    cases: () =>
      battery().rsa_verify.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_valid ? 'accepted' : 'rejected',
        outcome: () =>
          keyVerdict(
            () => platform.verifyingKey(spkiPem(vector.pub_spki_hex), { algorithm: vector.alg }),
            Buffer.from(vector.signing_base_b64, 'base64'),
            vector.sig_hex,
          ),
      })),
  });
}

function highS(): { readonly ours: string; readonly reason: string } {
  return {
    ours: 'accepted',
    reason:
      'RFC 9421 sections 3.3.4 and 3.3.5: any s of FIPS 186-4 is valid; replays are recognized by the nonce or the base',
  };
}
