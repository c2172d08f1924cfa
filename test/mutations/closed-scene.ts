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
import type { Scene } from './campaign.ts';
import { inOtherForm, signatureMutations } from './signature-bytes.ts';

const nowSeconds = 1_790_000_000;
const keyid = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';

/** Requests by the closed profile, with a key of an algorithm. */
export async function closedScene(
  algorithm: AlgorithmName,
): Promise<Omit<Scene, 'verify'> & { readonly verify: (message: Message) => string }> {
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
    name: algorithm,
    mutations: signatureMutations(algorithm),
    isTheSame: (message, original) => isTheSame(message, original, algorithm),
    acceptsAgain: false,
    examine: compareReaders,
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

/** Times the worst known inputs of a given size, in milliseconds: the best of three runs each. */
export async function timeWorstInputs(bytes: number): Promise<Readonly<Record<string, number>>> {
  const { originals, verify } = await closedScene('rsa-v1_5-sha256');
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

/** True if everything that is signed is unchanged, whichever form the signature has. */
function isTheSame(message: Message, original: Message, algorithm: AlgorithmName): boolean {
  return [original, inOtherForm(original, algorithm)].some(
    (one) => one !== undefined && signedMeaning(one) === signedMeaning(message),
  );
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
