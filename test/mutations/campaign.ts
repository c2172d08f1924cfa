import {
  createVerificationKey as createWebVerificationKey,
  verifyRequest as verifyOnWeb,
} from '@countersign/signature';
import {
  type AlgorithmName,
  createSigner,
  createVerificationKey,
  MemoryReplayGuard,
  verifyRequest,
} from '@countersign/signature/node';
import { readAnySignatureInput, readUsualSignatureInput } from '@countersign/signature/profile';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { type Message, signedMeaning } from './message.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { inOtherForm, signatureMutations } from './signature-bytes.ts';

export interface CampaignReport {
  readonly algorithm: AlgorithmName;
  readonly seed: number;
  readonly requests: number;
  readonly accepted: number;
  readonly refusedByCode: Readonly<Record<string, number>>;
  /** Accepted, rejected as a replay although something signed changed, decided differently by Web Crypto, or thrown. */
  readonly violations: readonly string[];
  readonly slowestMs: number;
}

const nowSeconds = 1_790_000_000;
const keyid = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';

/**
 * Mutates signed requests at random, and verifies them with `node:crypto` and with Web Crypto, after the originals were
 * accepted. A seed makes the changes repeatable.
 */
export async function runCampaign(
  algorithm: AlgorithmName,
  count: number,
  seed: number,
  onProgress?: (done: number) => void,
): Promise<CampaignReport> {
  const { originals, verify, verifyWithWebCrypto } = await scene(algorithm);
  const violations: string[] = [];
  for (const original of originals)
    for (const outcome of [verify(original), await verifyWithWebCrypto(original)])
      if (outcome !== 'ok') violations.push(`${outcome}, not accepted: ${JSON.stringify(original)}`);
  const random = new Random(seed);
  const more = signatureMutations(algorithm);
  const refusedByCode: Record<string, number> = {};
  let accepted = 0;
  let slowestMs = 0;
  for (let done = 0; done < count; done++) {
    const original = random.pick(originals);
    const message = mutate(original, random, more);
    try {
      const started = performance.now();
      const outcome = verify(message);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      const onWeb = await verifyWithWebCrypto(message);
      if (onWeb !== outcome) violations.push(`${outcome}, but ${onWeb}: ${JSON.stringify(message)}`);
      if (outcome === 'ok') {
        accepted++;
        violations.push(`accepted: ${JSON.stringify(message)}`);
      } else refusedByCode[outcome] = (refusedByCode[outcome] ?? 0) + 1;
      if (outcome === 'signature_replayed' && !isTheSame(message, original, algorithm))
        violations.push(`verified: ${JSON.stringify(message)}`);
      compareReaders(message, violations);
    } catch (error) {
      violations.push(`threw ${(error as Error).stack}: ${JSON.stringify(message)}`);
    }
    if ((done + 1) % 10_000 === 0) onProgress?.(done + 1);
  }
  return { algorithm, seed, requests: count, accepted, refusedByCode, violations, slowestMs };
}

/** True if everything that is signed is unchanged, whichever form the signature has. */
function isTheSame(message: Message, original: Message, algorithm: AlgorithmName): boolean {
  return [original, inOtherForm(original, algorithm)].some(
    (one) => one !== undefined && signedMeaning(one) === signedMeaning(message),
  );
}

/** Times the worst known inputs of a given size, in milliseconds: the best of three runs each. */
export async function timeWorstInputs(bytes: number): Promise<Readonly<Record<string, number>>> {
  const { originals, verify } = await scene('rsa-v1_5-sha256');
  const [post] = originals as [Message];
  const times: Record<string, number> = {};
  for (const [name, message] of Object.entries(worstInputs(post, bytes))) {
    let best = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run++) {
      const started = performance.now();
      verify(message);
      best = Math.min(best, performance.now() - started);
    }
    times[name] = best;
  }
  return times;
}

interface CampaignScene {
  readonly originals: readonly Message[];
  /** Returns the code, or `ok`. */
  readonly verify: (message: Message) => string;
  readonly verifyWithWebCrypto: (message: Message) => Promise<string>;
}

async function scene(algorithm: AlgorithmName): Promise<CampaignScene> {
  const { publicKey, privateKey } = makeKeyPairFor(algorithm);
  const signer = createSigner({ keyid, privateKey, nowMs: () => nowSeconds * 1000 });
  const settings = () => ({
    guard: new MemoryReplayGuard({ repeat: 'strict' }),
    nowSeconds: () => nowSeconds,
  });
  const key = createVerificationKey(publicKey);
  const webKey = await createWebVerificationKey(publicKey);
  const onNode = { ...settings(), clientByKeyid: clientWith(key) };
  const onWeb = { ...settings(), clientByKeyid: clientWith(webKey) };
  const sign = (method: string, url: string, body: string): Message => {
    const { headers } = signer.sign({ method, url, body: Buffer.from(body, 'latin1') });
    return {
      method,
      targetUri: url,
      headers: [['Host', new URL(url).host], ['Accept', '*/*'], ...Object.entries(headers)],
      body,
    };
  };
  const received = (message: Message) => ({ ...message, body: Buffer.from(message.body, 'latin1') });
  return {
    originals: [
      sign(
        'POST',
        'https://api.example.com/v1/payments',
        '{"amount":4200,"currency":"EUR","reference":"r-1"}',
      ),
      sign('GET', 'https://api.example.com/v1/payments?limit=10&cursor=a%20b', ''),
      sign('PUT', 'http://[::1]:8080/v1/a;b=c/d', '\0\u00ff\r\n--boundary'),
      sign('DELETE', 'https://api.example.com/v1/payments/payment_1', ''),
    ],
    verify: (message) => outcomeOf(verifyRequest(received(message), onNode)),
    verifyWithWebCrypto: async (message) => outcomeOf(await verifyOnWeb(received(message), onWeb)),
  };
}

function clientWith<Key>(key: Key): (id: string) => { readonly keys: readonly Key[] } | undefined {
  const clients = new Map([[keyid, { keys: [key] }]]);
  return (id) => clients.get(id);
}

function outcomeOf(result: { readonly ok: true } | { readonly ok: false; readonly code: string }): string {
  return result.ok ? 'ok' : result.code;
}

/** The fast reader of Signature-Input may read less than the general one, but never something else. */
function compareReaders(message: Message, violations: string[]): void {
  for (const [name, value] of message.headers) {
    if (name.toLowerCase() !== 'signature-input') continue;
    const quick = readUsualSignatureInput(value);
    if (quick && JSON.stringify(quick) !== JSON.stringify(readAnySignatureInput(value))) {
      violations.push(`the readers differ: ${JSON.stringify(value)}`);
    }
  }
}

function worstInputs(post: Message, bytes: number): Record<string, Message> {
  const withField = (name: string, value: string): Message => ({
    ...post,
    headers: post.headers.map(([own, text]) => [own, own === name ? value : text] as const),
  });
  const fill = (unit: string, limit: number): string => unit.repeat(Math.floor(limit / unit.length));
  const field = 4096;
  return {
    'Signature-Input of spaces': withField('Signature-Input', `sig=(${fill(' ', field - 10)})`),
    'Signature-Input of components': withField('Signature-Input', `sig=(${fill('"a" ', field - 10)})`),
    'Signature-Input of parameters': withField('Signature-Input', `sig=()${fill(';a', field - 10)}`),
    'Signature-Input of escapes': withField('Signature-Input', `sig=();keyid="${fill('\\"', field - 30)}"`),
    'Signature-Input of members': withField('Signature-Input', fill('a=1, ', field)),
    'Signature-Input of open lists': withField('Signature-Input', `sig=${fill('(', field - 10)}`),
    'Signature of padding': withField('Signature', `sig=:${fill('=', field - 10)}:`),
    'Signature of letters': withField('Signature', `sig=:${fill('A', 4080)}:`),
    'Date of digits': withField('Date', fill('0', bytes)),
    'Content-Digest of letters': withField('Content-Digest', `sha-256=:${fill('A', bytes)}:`),
    'a header of white space': { ...post, headers: [['Date', fill(' \t', bytes)], ...post.headers] },
    'many headers': {
      ...post,
      headers: [
        ...post.headers,
        ...Array.from({ length: bytes / 16 }, () => ['Signature', 'sig=:AA==:'] as const),
      ],
    },
    'a long target': { ...post, targetUri: `https://api.example.com/${fill('a', bytes)}` },
    'a long method': { ...post, method: fill('A', bytes) },
    'a target of percent signs': { ...post, targetUri: `https://api.example.com/${fill('%', 8400)}` },
  };
}
