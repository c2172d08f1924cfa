import { decodeBase64, encodeBase64 } from '../../src/exports.ts';
import {
  type BareItem,
  type Item,
  type Member,
  parseDictionary,
  parseItem,
  parseList,
  serializeDictionary,
  serializeList,
  serializeMember,
} from '../../src/rfc9421/structured-fields.ts';
import { type ConformanceTest, expectEqual, type Platform, type VectorSource } from './platform.ts';

/** Third-party vectors: RFC 9421, Wycheproof, structured fields. Where they are missing, one skipped test says so. */
export async function standardTests<Key>(
  platform: Platform<Key>,
  source: VectorSource,
): Promise<ConformanceTest[]> {
  return [
    ...(await rfc9421Tests(platform, source)),
    ...(await wycheproofTests(platform, source)),
    ...(await structuredFieldTests(source)),
  ];
}

/** Only chooses decoys. */
const keyid = 'shop';
const alg = 'rsa-v1_5-sha256';

interface Rfc9421 {
  readonly keys: Record<string, { publicKeyPem: string; privateKeyPem: string }>;
  readonly signatures: readonly {
    id: string;
    signatureInput: string;
    signatureBase: string;
    signature: string;
  }[];
}

async function rfc9421Tests<Key>(platform: Platform<Key>, source: VectorSource): Promise<ConformanceTest[]> {
  const vectors = (await source.json('shared/rfc9421.json')) as Rfc9421 | undefined;
  if (!vectors) return [missing('RFC 9421 section 4.3', 'shared/rfc9421.json')];
  const proxy = vectors.signatures.find((one) => one.id === '4.3-proxy')!;
  const pair = vectors.keys['test-key-rsa']!;
  return [
    {
      name: 'RFC 9421 section 4.3: the rsa-v1_5-sha256 signature is verified',
      run: async () => {
        const key = await platform.createVerificationKey(pair.publicKeyPem, { allowPublishedTestKeys: true });
        const signature = decodeBase64(proxy.signature)!;
        expectEqual(
          await platform.findVerifyingKey([key], { keyid, alg, base: proxy.signatureBase, signature }),
          0,
          'verifies',
        );
        expectEqual(
          await platform.findVerifyingKey([key], { keyid, alg, base: `${proxy.signatureBase}\n`, signature }),
          -1,
          'other base',
        );
      },
    },
    {
      name: 'RFC 9421 section 4.3: the rsa-v1_5-sha256 signature is reproduced',
      run: async () => {
        const sign = await platform.createBaseSigner(pair.privateKeyPem);
        expectEqual(encodeBase64(await sign(latin1(proxy.signatureBase))), proxy.signature, 'signature');
      },
    },
    {
      name: 'RFC 9421 section 4.3: Signature-Input is read and written unchanged',
      run: async () => {
        const members = parseDictionary(proxy.signatureInput)!;
        expectEqual(serializeDictionary(members), proxy.signatureInput, 'canonical text');
      },
    },
  ];
}

interface Wycheproof {
  readonly testGroups: readonly {
    readonly sha: string;
    readonly publicKeyDer?: string;
    readonly privateKeyPem?: string;
    readonly tests: readonly { tcId: number; comment: string; msg: string; sig: string; result: string }[];
  }[];
}

/** The x of the generators of P-256 and P-384 (SP 800-186 section 3.2.1). */
const generators = /04(?:6b17d1f2e12c4247f8bce6e563a440f2|aa87ca22be8b05378eb1c71ef320ad74)/;

/** Returns a key that is ready to verify; undefined if the platform refuses it. */
async function openedKey<Key>(
  platform: Platform<Key>,
  spkiDer: Uint8Array<ArrayBuffer>,
): Promise<Key | undefined> {
  try {
    return await platform.importUnchecked({ spkiDer });
  } catch {
    return undefined;
  }
}

/** The files of signatures to verify, each with its algorithm. */
const wycheproofFiles: readonly {
  readonly title: string;
  readonly name: string;
  readonly algorithm: string;
}[] = [
  ...[2048, 3072, 4096, 8192].map((bits) => ({
    title: `RSA ${bits} SHA-256`,
    name: `rsa_signature_${bits}_sha256_test`,
    algorithm: alg,
  })),
  { title: 'Ed25519', name: 'ed25519_test', algorithm: 'ed25519' },
  {
    title: 'ECDSA P-256 SHA-256',
    name: 'ecdsa_secp256r1_sha256_p1363_test',
    algorithm: 'ecdsa-p256-sha256',
  },
  {
    title: 'ECDSA P-384 SHA-384',
    name: 'ecdsa_secp384r1_sha384_p1363_test',
    algorithm: 'ecdsa-p384-sha384',
  },
];

async function wycheproofTests<Key>(
  platform: Platform<Key>,
  source: VectorSource,
): Promise<ConformanceTest[]> {
  const tests: ConformanceTest[] = [];
  for (const { title, name, algorithm } of wycheproofFiles) {
    const file = `shared/wycheproof/${name}.json`;
    const vectors = (await source.json(file)) as Wycheproof | undefined;
    if (!vectors) tests.push(missing(`Wycheproof ${title}`, file));
    for (const [index, group] of (vectors?.testGroups ?? []).entries()) {
      tests.push({
        name: `Wycheproof ${title}, group ${index}: ${group.tests.length} signatures decided alike`,
        run: async () => {
          // Some groups have exponents that may not be registered; here the operation is what is tested.
          const spkiDer = hexToBytes(group.publicKeyDer!);
          const key = await openedKey(platform, spkiDer);
          // The generator, whose private number is 1 or −1: Wycheproof accepts it, we do not.
          if (key === undefined)
            return expectEqual(generators.test(group.publicKeyDer!), true, 'only the generator is refused');
          for (const one of group.tests) {
            const signed = {
              keyid,
              alg: algorithm,
              base: hexToLatin1(one.msg),
              signature: hexToBytes(one.sig),
            };
            const found = await platform.findVerifyingKey([key], signed);
            // "acceptable" is the DigestInfo without NULL, which the profile rejects.
            expectEqual(found === 0, one.result === 'valid', `test ${one.tcId} (${one.comment})`);
          }
        },
      });
    }
  }
  for (const bits of [2048, 3072, 4096]) {
    const file = `shared/wycheproof/rsa_pkcs1_${bits}_sig_gen_test.json`;
    const vectors = (await source.json(file)) as Wycheproof | undefined;
    if (!vectors) tests.push(missing(`Wycheproof RSA ${bits} signing`, file));
    for (const [index, group] of (vectors?.testGroups ?? []).entries()) {
      if (group.sha !== 'SHA-256') continue;
      tests.push({
        name: `Wycheproof RSA ${bits} SHA-256 signing, group ${index}: reproduced byte for byte`,
        run: async () => {
          const sign = await platform
            .createBaseSigner(group.privateKeyPem!)
            .catch((error: unknown) => error as Error);
          if (sign instanceof Error) return expectEqual(/exponent/.test(sign.message), true, sign.message);
          for (const one of group.tests) {
            const signature = await sign(hexToBytes(one.msg));
            expectEqual(encodeBase64(signature), encodeBase64(hexToBytes(one.sig)), `test ${one.tcId}`);
          }
        },
      });
    }
  }
  return tests;
}

interface StructuredFieldVector {
  readonly name: string;
  readonly raw: readonly string[];
  readonly header_type: 'item' | 'list' | 'dictionary';
  readonly expected?: unknown;
  readonly must_fail?: boolean;
  readonly can_fail?: boolean;
  readonly canonical?: readonly string[];
}

const structuredFieldFiles = [
  'binary',
  'boolean',
  'dictionary',
  'examples',
  'item',
  'key-generated',
  'large-generated',
  'list',
  'listlist',
  'number-generated',
  'number',
  'param-dict',
  'param-list',
  'param-listlist',
  'string-generated',
  'string',
  'token-generated',
  'token',
];

async function structuredFieldTests(source: VectorSource): Promise<ConformanceTest[]> {
  const tests: ConformanceTest[] = [];
  for (const name of structuredFieldFiles) {
    const file = `shared/structured-fields/${name}.json`;
    const vectors = (await source.json(file)) as readonly StructuredFieldVector[] | undefined;
    if (!vectors) tests.push(missing(`structured fields, ${name}`, file));
    else {
      tests.push({
        name: `structured fields, ${name}: ${vectors.length} texts read as the working group's tests say`,
        run: async () => vectors.forEach(checkStructuredField),
      });
    }
  }
  return tests;
}

function checkStructuredField(vector: StructuredFieldVector): void {
  const text = vector.raw.join(', ');
  const codec = codecs[vector.header_type];
  const parsed = codec.parse(text);
  if (vector.must_fail) return expectEqual(parsed === undefined, true, `${vector.name} must fail`);
  if (parsed === undefined) return expectEqual(vector.can_fail ?? false, true, `${vector.name} must be read`);
  expectEqual(JSON.stringify(plain(parsed)), JSON.stringify(vector.expected), vector.name);
  const canonical = (vector.canonical ?? vector.raw).join(', ');
  expectEqual(codec.serialize(parsed), canonical, `${vector.name}, canonical text`);
}

type Parsed = Item | Member[] | Map<string, Member>;

const codecs: Record<
  StructuredFieldVector['header_type'],
  { parse(text: string): Parsed | undefined; serialize(value: Parsed): string }
> = {
  item: { parse: parseItem, serialize: (value) => serializeMember(value as Item) },
  list: { parse: parseList, serialize: (value) => serializeList(value as Member[]) },
  dictionary: {
    parse: parseDictionary,
    serialize: (value) => serializeDictionary(value as Map<string, Member>),
  },
};

/** The form in which the working group's tests write parsed values. */
function plain(value: Parsed): unknown {
  if (value instanceof Map) return [...value].map(([name, member]) => [name, plainMember(member)]);
  return Array.isArray(value) ? value.map(plainMember) : plainMember(value);
}

function plainMember(member: Member): unknown {
  const parameters = [...member.parameters].map(([name, item]) => [name, plainBareItem(item)]);
  return member.type === 'item'
    ? [plainBareItem(member.value), parameters]
    : [member.items.map(plainMember), parameters];
}

function plainBareItem(item: BareItem): unknown {
  if (item.type === 'token') return { __type: 'token', value: item.value };
  if (item.type === 'bytes') return { __type: 'binary', value: base32(item.value) };
  return item.value;
}

function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  let text = '';
  for (let index = 0; index < bits.length; index += 5) {
    text += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[
      Number.parseInt(bits.slice(index, index + 5).padEnd(5, '0'), 2)
    ];
  }
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function missing(name: string, file: string): ConformanceTest {
  return { name, skipped: `${file} is not on this machine`, run: async () => undefined };
}

function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

function hexToLatin1(hex: string): string {
  return [...hexToBytes(hex)].map((byte) => String.fromCharCode(byte)).join('');
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
