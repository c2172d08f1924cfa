import { after, before, type TestContext } from 'node:test';
import {
  createSignature,
  defineProfile,
  type DefinedProfile,
  type MessageProfile,
  messageProfiles,
  type MessageSigningKey,
  type ProfiledSignature,
  type SignatureContent,
  type SignatureParameters,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { isKeyAlgorithm, type KeyAlgorithm } from '@countersign/signature/rfc9421';
import { type KeyPair, makeKeyPairFor } from '../keys/key-pair.ts';
import { nowMs, nowSeconds } from './draft.ts';
import { openProtectedApi, type ProtectedApi, type ProtectedApiOptions } from '../service/protected-api.ts';
import { type Answer, apiBaseUrl, type ClientOptions } from '../service/running-service.ts';

/** A profile that an operator writes: an own label, a fixed order, nothing else covered. */
export const operatorsOwn: MessageProfile = {
  id: 'shop-partners-1',
  title: 'What the partners of the shop sign',
  message: 'request',
  select: { label: 'partner' },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: 'x-partner' },
    ],
    others: 'none',
    order: 'fixed',
  },
  parameters: { created: 'required', keyid: 'required', alg: 'required' },
  algorithms: ['ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'rsa-v1_5-sha256'],
  time: { maxAgeSeconds: 120, maxFutureSeconds: 30 },
  replay: 'base',
  digests: ['sha-256', 'sha-512'],
};

const { curl822, fapi2Request01, gnap, openPayments, webBotAuth01, webBotAuth2025 } = messageProfiles;
const { adcp32, agentPayments2025, ucpRequest2026 } = messageProfiles;

/** Every profile that a service can accept besides the closed one, and one of the operator's. */
export const profiles: readonly MessageProfile[] = [
  curl822,
  fapi2Request01,
  gnap,
  openPayments,
  webBotAuth01,
  webBotAuth2025,
  adcp32,
  agentPayments2025,
  ucpRequest2026,
  operatorsOwn,
];

/** The setting that accepts these profiles; for none, it is left out. */
export function settingFor(accepted: readonly MessageProfile[]): Readonly<Record<string, string>> {
  const offered = Object.values(messageProfiles);
  const entries = accepted.map((profile) => (offered.includes(profile) ? profile.id : profile));
  return entries.length === 0 ? {} : { COUNTERSIGN_PROFILES: JSON.stringify(entries) };
}

/** The algorithms of a profile that a key can be registered for. */
export function algorithmsOf({ algorithms }: MessageProfile): readonly KeyAlgorithm[] {
  return algorithms.filter(isKeyAlgorithm);
}

/** The second base URL of the API: the same upstream. */
export const otherApiUrl = 'https://store.example.test';

/** Opens an API whose service accepts profiles. Its clock stands still; failures do not count against the address. */
export function openApi(
  t: Pick<TestContext, 'after'>,
  accepted: readonly MessageProfile[] = profiles,
  { environment, overrides, ...options }: ProtectedApiOptions = {},
): Promise<ProtectedApi> {
  return openProtectedApi(t, {
    ...options,
    overrides: { nowMs, ...overrides },
    environment: {
      ...settingFor(accepted),
      COUNTERSIGN_API_BASE_URLS: `${apiBaseUrl},${otherApiUrl}`,
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
      ...environment,
    },
  });
}

/** Opens such an API before the tests of a file or of a suite, and closes it after them. */
export function apiForAll(...[accepted, options]: DropFirst<Parameters<typeof openApi>>): {
  readonly api: ProtectedApi;
} {
  const closing: (() => Promise<void>)[] = [];
  const opened = {} as { api: ProtectedApi };
  before(async () => {
    opened.api = await openApi({ after: (work: never) => void closing.push(work) }, accepted, options);
  });
  after(async () => {
    for (const close of closing) await close();
  });
  return opened;
}

type DropFirst<List extends readonly unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;

/** A service, whatever it protects. */
type AnyApi = Pick<ProtectedApi, 'running'>;

/** A client with a profile, and what it signs with. */
export interface Party {
  readonly api: AnyApi;
  readonly clientId: string;
  readonly profile: MessageProfile;
  readonly keys: KeyPair;
  readonly key: MessageSigningKey;
}

export async function addParty(
  api: AnyApi,
  profile: MessageProfile,
  algorithm: KeyAlgorithm = algorithmsOf(profile)[0]!,
  { keyPair = makeKeyPairFor(algorithm), ...options }: ClientOptions = {},
): Promise<Party> {
  const { clientId } = await api.running.addClient({
    roles: ['api-user'],
    ...options,
    profile: profile.id,
    algorithm,
    keyPair,
  });
  return { api, clientId, profile, keys: keyPair, key: signingKey(keyPair.privateKey, { algorithm }) };
}

export type Lines = readonly (readonly [name: string, value: string])[];

/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly lines: Lines;
  readonly body?: string | undefined;
  /** Without `Content-Length`. */
  readonly isChunked?: boolean;
}

/** What is signed; the rest follows from the profile. */
export interface Draft extends Partial<Omit<Sent, 'lines'>> {
  /** Lines before the signature's. Defaults to those that the profiles ask for. */
  readonly lines?: Lines;
  readonly profile?: MessageProfile;
  readonly key?: MessageSigningKey;
  readonly signature?: Partial<Omit<ProfiledSignature, 'profile' | 'key'>>;
}

let sentCount = 0;

/** A URL that no request of these tests has had, with a query. */
export function freshUrl(): string {
  return `${apiBaseUrl}/orders/${++sentCount}?state=open`;
}

/** What the profiles ask for, in any request. */
export const usualLines: Lines = [
  ['Authorization', 'Bearer token'],
  ['Signature-Agent', 'sig="https://agent.example", sig1="https://agent.example"'],
  ['Idempotency-Key', '"k-1"'],
  ['Content-Type', 'application/json'],
  ['X-Partner', 'p-1'],
  ['DPoP', 'proof'],
  ['UCP-Agent', 'profile="https://agent.example"'],
];

const defined = new Map<MessageProfile, DefinedProfile>();

/** Returns a profile ready to sign by. */
export function definedOf(profile: MessageProfile): DefinedProfile {
  const found = defined.get(profile) ?? defineProfile(profile);
  defined.set(profile, found);
  return found;
}

/** Signs a request by the party's profile: a GET with a query unless said otherwise. */
export async function signed(party: Party, draft: Draft = {}): Promise<Sent> {
  const { method = 'GET', url = freshUrl(), lines = usualLines, body, isChunked = false } = draft;
  const { headers } = await signMessage(messageOf({ method, url, lines, body }), {
    profile: definedOf(draft.profile ?? party.profile),
    key: draft.key ?? party.key,
    keyid: party.clientId,
    created: nowSeconds,
    // The label "sig" without a tag is taken for the closed profile's when the codes are chosen.
    label: (draft.profile ?? party.profile).select?.label ?? 'sig1',
    ...draft.signature,
  });
  return { method, url, lines: [...lines, ...Object.entries(headers)], body, isChunked };
}

/** What a signature is made of, to change before it is signed. */
export interface Content {
  readonly label: string;
  readonly components: readonly string[];
  readonly parameters: SignatureParameters;
  /** `Content-Digest`. */
  readonly digest?: string;
}

/** Signs a request by the party's profile, then signs something else in its place, by the same key. */
export async function signedOtherwise(
  party: Party,
  draft: Draft,
  change: (content: Content) => Partial<Content>,
  fieldTypes: SignatureContent['fieldTypes'] = {},
): Promise<Sent> {
  const sent = await signed(party, draft);
  const content = contentOf(sent);
  const { digest, ...changed } = { ...content, ...change(content) };
  const own = ['Signature', 'Signature-Input', ...(digest === undefined ? [] : ['Content-Digest'])];
  const lines = sent.lines.filter(([name]) => !own.includes(name));
  const digestLines: Lines = digest === undefined ? [] : [['Content-Digest', digest]];
  return alsoSigned({ ...sent, lines: [...lines, ...digestLines] }, party, { ...changed, fieldTypes });
}

/** Reads back what `signed` wrote. */
function contentOf({ lines }: Sent): Content {
  const [, text] = lines.find(([name]) => name === 'Signature-Input')!;
  const [, label = '', list = '', parameters = ''] = /^([^=]+)=\((.*?)\)(;.*)$/.exec(text)!;
  const read = parameters
    .slice(1)
    .split(';')
    .map((parameter): [string, string | number] => {
      const [, name = '', value = ''] = /^([a-z]+)=(.*)$/.exec(parameter)!;
      return [name, JSON.parse(value) as string | number];
    });
  return { label, components: list.split(/ (?=")/), parameters: Object.fromEntries(read) };
}

/** Adds a signature of any form to a request. */
export async function alsoSigned(
  sent: Sent,
  { key }: Party,
  content: Omit<SignatureContent, 'key'>,
): Promise<Sent> {
  const { headers } = await createSignature(messageOf(sent), { key, ...content });
  return { ...sent, lines: [...sent.lines, ...Object.entries(headers)] };
}

function messageOf({ method, url, lines, body }: Omit<Sent, 'isChunked'>): Parameters<typeof signMessage>[0] {
  return {
    method,
    targetUri: url,
    headers: lines,
    body: body === undefined ? undefined : Buffer.from(body),
  };
}

/** Sends exactly these lines, with the Host of the URL and the framing of the body. */
export function answerTo({ running }: AnyApi, sent: Sent): Promise<Answer> {
  const { method, url, lines, body, isChunked } = sent;
  const framing =
    isChunked === true
      ? ['Transfer-Encoding', 'chunked']
      : body === undefined
        ? []
        : ['Content-Length', String(Buffer.byteLength(body))];
  const headers = ['Host', hostOf(sent), ...framing, ...lines.filter(([name]) => name !== 'Host').flat()];
  return running.send({ method, url, body, headers });
}

function hostOf({ url, lines }: Sent): string {
  return lines.find(([name]) => name === 'Host')?.[1] ?? new URL(url).host;
}

/** Returns the code of a rejection, or `accepted`. */
export async function codeFor(api: ProtectedApi, sent: Sent): Promise<string> {
  return codeOf(await answerTo(api, sent));
}

export function codeOf(answer: Answer): string {
  return answer.status < 300 ? 'accepted' : String(answer.json()['code']);
}

/** Returns the line with a name changed; undefined removes it. */
export function withLine(sent: Sent, name: string, change: (value: string) => string | undefined): Sent {
  const lines = sent.lines.flatMap(([own, value]) => {
    if (own !== name) return [[own, value] as const];
    const changed = change(value);
    return changed === undefined ? [] : [[own, changed] as const];
  });
  return { ...sent, lines };
}
