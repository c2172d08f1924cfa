import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { hmacKey } from '../../src/messages/hmac.ts';
import {
  createSignature,
  defineProfile,
  type HttpMessage,
  type MessageAlgorithm,
  messageProfiles,
  type MessageSigningKey,
  type MessageVerifyingKey,
  type ProfiledSignatureLines,
  type RequestMessage,
  type SignatureContent,
  type SignatureParameters,
} from '../../src/on-web/messages.ts';
import { type InnerList, parseDictionary, serializeMember } from '../../src/rfc9421/structured-fields.ts';
import { type InteropCase, interopCases, type PlainMessage } from './interop-cases.ts';
import type { Peer, PeerResult, PeerTask } from './interop-peers.ts';
import { tamperedTasks } from './interop-tampering.ts';
import { type MessagesPlatform, platforms, withLines } from './platforms.ts';

/** `in its order`: with `createSignature`, for a library that verifies one order of parameters alone. */
export type InteropDirection = 'they sign' | 'we sign' | 'we sign, in its order';

/** Returns the directions that are tried with a library. */
export function interopDirections({ parameterOrder }: Peer): readonly InteropDirection[] {
  const both = ['they sign', 'we sign'] as const;
  return parameterOrder === undefined ? both : [...both, 'we sign, in its order'];
}

/** One cell of the table: a profile, an algorithm, a library and a direction. */
export interface InteropRow {
  readonly profile: InteropCase['profile'];
  readonly algorithm: MessageAlgorithm;
  readonly library: string;
  readonly direction: InteropDirection;
  /** Why the verifier does not accept the signer's message; undefined if it does. */
  readonly problem?: string;
  /** The number of changed messages that the verifier rejected. */
  readonly rejected: number;
  /** The changes that the verifier accepted, though it must not. */
  readonly accepted: readonly string[];
}

/** Signs each message of each profile with each algorithm that both have, both ways, and has what is changed verified too. */
export async function interopRows(peer: Peer): Promise<readonly InteropRow[]> {
  const pairs = interopCases
    .filter(({ profile }) => peer.profiles?.includes(profile) !== false)
    .flatMap((one) =>
      messageProfiles[one.profile].algorithms
        .filter((algorithm) => peer.algorithms.includes(algorithm))
        .map((algorithm) => ({ one, algorithm })),
    );
  const rows = [...(await theySign(peer, pairs)), ...(await weSign(peer, pairs, undefined))];
  const { parameterOrder: order } = peer;
  return order === undefined ? rows : [...rows, ...(await weSign(peer, pairs, order))];
}

interface Pair {
  readonly one: InteropCase;
  readonly algorithm: MessageAlgorithm;
}

async function theySign(peer: Peer, pairs: readonly Pair[]): Promise<readonly InteropRow[]> {
  const tasks = pairs.map(({ one, algorithm }) => ({
    ...taskOf(one, algorithm),
    operation: 'sign' as const,
    key: keysFor(algorithm).privateKey,
  }));
  const results = await peer.run(tasks);
  return Promise.all(
    pairs.map(async ({ one, algorithm }, index): Promise<InteropRow> => {
      const row = { profile: one.profile, algorithm, library: peer.name, direction: 'they sign' } as const;
      const { lines, problem } = results[index]!;
      if (lines === undefined)
        return { ...row, problem: problem ?? 'it signs nothing', rejected: 0, accepted: [] };
      const signed = { ...asSigned(tasks[index]!, lines), key: keysFor(algorithm).publicKey };
      const problems = await eachPlatform((platform) => ourProblem(platform, one, signed));
      const first = problems.find((text) => text !== undefined);
      if (first !== undefined) return { ...row, problem: first, rejected: 0, accepted: [] };
      const changes = tamperedTasks(signed, keysFor(algorithm).otherPublicKey, true);
      return { ...row, ...(await judge(changes, (task) => isAcceptedByUs(one, task))) };
    }),
  );
}

async function isAcceptedByUs(one: InteropCase, task: PeerTask): Promise<boolean> {
  const problems = await eachPlatform((platform) => ourProblem(platform, one, task));
  return problems.includes(undefined);
}

async function weSign(
  peer: Peer,
  pairs: readonly Pair[],
  order: Peer['parameterOrder'],
): Promise<readonly InteropRow[]> {
  const direction = order === undefined ? 'we sign' : 'we sign, in its order';
  const perPlatform = await Promise.all(
    pairs.flatMap((pair) =>
      platforms.map(async (platform) => ({ pair, task: await ourTask(platform, pair, order) })),
    ),
  );
  const groups = perPlatform.map(({ pair, task }) => ({
    pair,
    variants: [
      { what: '', task },
      ...tamperedTasks(task, keysFor(pair.algorithm).otherPublicKey, peer.checksBody === true),
    ],
  }));
  const results = [...(await peer.run(groups.flatMap(({ variants }) => variants.map(({ task }) => task))))];
  const rows = groups.map(({ pair: { one, algorithm }, variants }): InteropRow => {
    const [original, ...changed] = results.splice(0, variants.length) as [PeerResult, ...PeerResult[]];
    const row = { profile: one.profile, algorithm, library: peer.name, direction } as const;
    if (original.verified !== true)
      return { ...row, problem: original.problem ?? 'it verifies to false', rejected: 0, accepted: [] };
    const accepted = changed.flatMap(({ verified }, index) =>
      verified === true ? [variants[index + 1]!.what] : [],
    );
    return { ...row, rejected: changed.length - accepted.length, accepted };
  });
  // Both platforms' signatures must fare alike: the first that does not is the row.
  return pairs.map((_pair, index) => {
    const both = rows.slice(index * platforms.length, (index + 1) * platforms.length);
    return both.find(({ problem, accepted }) => problem !== undefined || accepted.length > 0) ?? both[0]!;
  });
}

async function judge(
  changes: readonly { readonly what: string; readonly task: PeerTask }[],
  accepts: (task: PeerTask) => Promise<boolean>,
): Promise<{ readonly rejected: number; readonly accepted: readonly string[] }> {
  const outcomes = await Promise.all(changes.map(({ task }) => accepts(task)));
  const accepted = changes.filter((_change, index) => outcomes[index]).map(({ what }) => what);
  return { rejected: changes.length - accepted.length, accepted };
}

/** What a library has to sign, without the operation and the key. */
function taskOf(one: InteropCase, algorithm: MessageAlgorithm): Omit<PeerTask, 'operation' | 'key'> {
  const { label, request, response, components, parameters, keyid, tag, digest } = one;
  const has = (name: (typeof parameters)[number]): boolean => parameters.includes(name);
  const created = Math.floor(Date.now() / 1000);
  return {
    algorithm,
    label,
    request: withDigest(request, digest),
    ...(response && { response: withDigest(response, digest) }),
    components,
    times: {
      ...(has('created') && { created }),
      ...(has('expires') && { expires: created + 240 }),
    },
    texts: {
      keyid,
      // PS256 has no registered name to announce.
      ...(has('alg') && algorithm !== 'PS256' && { alg: algorithm }),
      // 64 bytes, padded, as web bots send it.
      ...(has('nonce') && { nonce: randomBytes(64).toString('base64') }),
      ...(tag !== undefined && { tag }),
    },
  };
}

function withDigest(message: PlainMessage, digest: InteropCase['digest']): PlainMessage {
  if (message.body === '') return message;
  const value = createHash(digest.replace('-', '')).update(message.body).digest('base64');
  return { ...message, headers: [...message.headers, ['Content-Digest', `${digest}=:${value}:`]] };
}

function asSigned(task: PeerTask, lines: NonNullable<PeerResult['lines']>): PeerTask {
  const add = (message: PlainMessage): PlainMessage => ({
    ...message,
    headers: [...message.headers, ...lines],
  });
  return {
    ...task,
    operation: 'verify',
    ...(task.response === undefined ? { request: add(task.request) } : { response: add(task.response) }),
  };
}

/** A message that we signed, for a library to verify. */
async function ourTask(
  platform: MessagesPlatform,
  { one, algorithm }: Pair,
  order: Peer['parameterOrder'],
): Promise<PeerTask> {
  const task = taskOf(one, algorithm);
  const { label, request, response, keyid, tag, others } = one;
  // We make the digest of the signed message; that of a request which is only answered is there.
  const signed = response === undefined ? { request } : { request: task.request, response };
  const key = await signingKey(platform, algorithm);
  const message = messageOf(signed);
  const { headers } = await platform.signMessage(message, {
    profile: profiles.get(one.profile)!,
    key,
    keyid,
    label,
    ...task.times,
    ...(task.texts.nonce !== undefined && { nonce: task.texts.nonce }),
    ...(tag !== undefined && { tag }),
    ...(others && { others }),
  });
  const input = parseDictionary(headers['Signature-Input'])!.get(label) as InnerList;
  const parameters: SignatureParameters = Object.fromEntries(
    [...input.parameters].map(([name, { value }]) => [name, value]),
  );
  const lines =
    order === undefined
      ? headers
      : await signedAgain(
          { ...message, headers: withLines(message.headers as Lines, digestOf(headers)) },
          {
            label,
            components: input.items.map((item) => serializeMember(item)),
            parameters: inOrder(parameters, order),
            key,
          },
        );
  const { created, expires, alg, nonce, tag: signedTag } = parameters;
  return asSigned(
    {
      ...task,
      ...signed,
      operation: 'verify',
      key: keysFor(algorithm).publicKey,
      times: { ...(created !== undefined && { created }), ...(expires !== undefined && { expires }) },
      texts: {
        keyid,
        ...(alg !== undefined && { alg }),
        ...(nonce !== undefined && { nonce }),
        ...(signedTag !== undefined && { tag: signedTag }),
      },
    },
    Object.entries({ ...digestOf(headers), ...lines }),
  );
}

type Lines = Iterable<readonly [string, string]>;

function digestOf({ 'Content-Digest': digest }: ProfiledSignatureLines): object {
  return digest === undefined ? {} : { 'Content-Digest': digest };
}

async function signedAgain(message: HttpMessage, content: SignatureContent): Promise<object> {
  return (await createSignature(message, content)).headers;
}

function inOrder(
  parameters: SignatureParameters,
  order: NonNullable<Peer['parameterOrder']>,
): SignatureParameters {
  return Object.fromEntries(
    order.filter((name) => name in parameters).map((name) => [name, parameters[name]]),
  );
}

const profiles = new Map(
  interopCases.map(({ profile }) => [profile, defineProfile(messageProfiles[profile])] as const),
);

/** Returns why we reject a message; undefined if we accept it. */
async function ourProblem(
  platform: MessagesPlatform,
  one: InteropCase,
  task: PeerTask,
): Promise<string | undefined> {
  const key = await verifyingKey(platform, task.algorithm, task.key);
  const outcome = await platform.verifyMessage(messageOf(task), {
    profile: profiles.get(one.profile)!,
    keysFor: ({ keyid }) => (keyid === one.keyid ? key : undefined),
    // Libraries sign at different times, and building one can take longer than a signature lasts.
    nowSeconds: () => createdOf(task) ?? Math.floor(Date.now() / 1000),
    // Each message is verified more than once.
    guard: { use: () => undefined },
  });
  return outcome.ok ? undefined : `${outcome.code}: ${outcome.reason}`;
}

function createdOf({ request, response = request }: PeerTask): number | undefined {
  const input = response.headers.find(([name]) => name.toLowerCase() === 'signature-input')?.[1];
  const seconds = /;created=(\d+)/.exec(input ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function messageOf({ request, response }: Pick<PeerTask, 'request' | 'response'>): HttpMessage {
  const asked: RequestMessage = {
    method: request.method!,
    targetUri: request.url!,
    headers: withLines(request.headers, {}),
    body: new TextEncoder().encode(request.body),
  };
  if (response === undefined) return asked;
  return {
    status: response.status!,
    headers: withLines(response.headers, {}),
    body: new TextEncoder().encode(response.body),
    request: asked,
  };
}

async function eachPlatform<Result>(
  of: (platform: MessagesPlatform) => Promise<Result>,
): Promise<readonly Result[]> {
  return Promise.all(platforms.map(of));
}

async function signingKey(
  platform: MessagesPlatform,
  algorithm: MessageAlgorithm,
): Promise<MessageSigningKey> {
  const { privateKey } = keysFor(algorithm);
  if (algorithm === 'hmac-sha256') return hmacKey(Buffer.from(privateKey, 'base64'));
  return platform.signingKey(privateKey, { algorithm });
}

async function verifyingKey(
  platform: MessagesPlatform,
  algorithm: MessageAlgorithm,
  text: string,
): Promise<MessageVerifyingKey> {
  if (algorithm === 'hmac-sha256') return hmacKey(Buffer.from(text, 'base64'));
  return platform.verifyingKey(text, { algorithm });
}

interface KeyTexts {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly otherPublicKey: string;
}

const made = new Map<MessageAlgorithm, KeyTexts>();

/** The keys of this run: PEM, and secrets in Base64, of 64 bytes because some libraries take no shorter ones. */
function keysFor(algorithm: MessageAlgorithm): KeyTexts {
  const keys = made.get(algorithm) ?? makeKeys(algorithm);
  made.set(algorithm, keys);
  return keys;
}

function makeKeys(algorithm: MessageAlgorithm): KeyTexts {
  if (algorithm === 'hmac-sha256') {
    const [secret, other] = [0, 1].map(() => randomBytes(64).toString('base64')) as [string, string];
    return { privateKey: secret, publicKey: secret, otherPublicKey: other };
  }
  return { ...makePair(algorithm), otherPublicKey: makePair(algorithm).publicKey };
}

const asPem = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

function makePair(
  algorithm: Exclude<MessageAlgorithm, 'hmac-sha256'>,
): Pick<KeyTexts, 'privateKey' | 'publicKey'> {
  switch (algorithm) {
    case 'ed25519':
      return generateKeyPairSync('ed25519', asPem);
    case 'ecdsa-p256-sha256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256', ...asPem });
    case 'ecdsa-p384-sha384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384', ...asPem });
    default:
      return generateKeyPairSync('rsa', { modulusLength: 2048, ...asPem });
  }
}
