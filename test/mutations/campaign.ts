import { generateKeyPairSync } from 'node:crypto';
import {
  acceptReplaysUnsafely,
  createSigner,
  createVerificationKey,
  verifyRequest,
} from '@countersign/signature/node';
import { readAnySignatureInput, readUsualSignatureInput } from '@countersign/signature/profile';
import { type Message, signedMeaning } from './message.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';

export interface CampaignReport {
  readonly seed: number;
  readonly requests: number;
  /** Accepted, because the changes left everything signed unchanged. */
  readonly unchanged: number;
  readonly refusedByCode: Readonly<Record<string, number>>;
  /** Accepted although something signed changed, or thrown. */
  readonly violations: readonly string[];
  readonly slowestMs: number;
}

const nowSeconds = 1_790_000_000;
const keyid = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';

/** Mutates signed requests at random and verifies them. A seed makes a campaign repeatable. */
export function runCampaign(
  count: number,
  seed: number,
  onProgress?: (done: number) => void,
): CampaignReport {
  const { originals, verify } = scene();
  const random = new Random(seed);
  const refusedByCode: Record<string, number> = {};
  const violations: string[] = [];
  let unchanged = 0;
  let slowestMs = 0;
  for (let done = 0; done < count; done++) {
    const original = random.pick(originals);
    const message = mutate(original, random);
    try {
      const started = performance.now();
      const outcome = verify(message);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      if (outcome !== 'ok') refusedByCode[outcome] = (refusedByCode[outcome] ?? 0) + 1;
      else if (signedMeaning(message) === signedMeaning(original)) unchanged++;
      else violations.push(`accepted: ${JSON.stringify(message)}`);
      compareReaders(message, violations);
    } catch (error) {
      violations.push(`threw ${(error as Error).stack}: ${JSON.stringify(message)}`);
    }
    if ((done + 1) % 10_000 === 0) onProgress?.(done + 1);
  }
  return { seed, requests: count, unchanged, refusedByCode, violations, slowestMs };
}

/** Times the worst known inputs of a given size, in milliseconds: the best of three runs each. */
export function timeWorstInputs(bytes: number): Readonly<Record<string, number>> {
  const { originals, verify } = scene();
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

function scene(): { originals: readonly Message[]; verify: (message: Message) => string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signer = createSigner({ keyid, privateKey, nowMs: () => nowSeconds * 1000 });
  const key = createVerificationKey(publicKey.export({ type: 'spki', format: 'pem' }));
  const clients = new Map([[keyid, { keys: [key] }]]);
  const options = {
    clientByKeyid: (id: string) => clients.get(id),
    guard: acceptReplaysUnsafely,
    nowSeconds: () => nowSeconds,
  };
  const sign = (method: string, url: string, body: string): Message => {
    const { headers } = signer.sign({ method, url, body: Buffer.from(body, 'latin1') });
    return {
      method,
      targetUri: url,
      headers: [['Host', new URL(url).host], ['Accept', '*/*'], ...Object.entries(headers)],
      body,
    };
  };
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
    verify: (message) => {
      const body = Buffer.from(message.body, 'latin1');
      const result = verifyRequest({ ...message, body }, options);
      return result.ok ? 'ok' : result.code;
    },
  };
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
