import { decodeBase64 } from '../../src/exports.ts';
import { type CandidateKey, explain, type HashFunction } from '../../src/explain/index.ts';

/** The corpus of mistakes, as far as a page needs it. */
export interface MistakenCases {
  readonly cases: readonly {
    readonly id: string;
    readonly request: {
      readonly method: string;
      readonly targetUri: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly bodyBase64?: string;
    };
    readonly context: { readonly nowSeconds: number };
  }[];
  readonly account: {
    readonly keys: readonly (Omit<CandidateKey, 'spkiPem'> & { readonly publicKeyPem: string })[];
  };
}

/** What was found, as it leaves the page. */
export interface ExplainedCase {
  readonly id: string;
  readonly found: readonly string[];
}

const caseStep = 7;
const hypothesesMax = 2000;

/** Explains some of the cases, with only what every runtime has. */
export function explainCases(
  { cases, account }: MistakenCases,
  sha256: HashFunction,
  took?: (milliseconds: number) => void,
): ExplainedCase[] {
  const candidates = account.keys.map(({ publicKeyPem, ...key }) => ({ ...key, spkiPem: publicKeyPem }));
  return cases
    .filter((_, index) => index % caseStep === 0)
    .map(({ id, request, context }) => {
      const body = decodeBase64(request.bodyBase64 ?? '')!;
      const started = performance.now();
      const { findings } = explain({ ...request, body }, candidates, { ...context, sha256, hypothesesMax });
      took?.(performance.now() - started);
      return { id, found: findings.map(({ code, certainty }) => `${code} ${certainty}`) };
    });
}

/** Runs in the page that imports this module. */
export async function explainInPage(): Promise<{ results: ExplainedCase[]; medianMs: number }> {
  const [single, account] = await Promise.all(
    ['single', 'account'].map(
      async (name) => (await fetch(`/vectors/mistakes/${name}.json`)).json() as Promise<unknown>,
    ),
  );
  const times: number[] = [];
  const results = explainCases({ ...(single as object), account } as MistakenCases, sha256OfPage, (time) =>
    times.push(time),
  );
  return { results, medianMs: times.toSorted((a, b) => a - b)[times.length >> 1]! };
}

/** SHA-256 (FIPS 180-4) as a page would take it from a library; Web Crypto has only an asynchronous one. */
function sha256OfPage(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(((message.length + 8) >> 6) * 64 + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length * 8);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  const state = Int32Array.from(roots.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  const words = new Int32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getInt32(offset + index * 4);
    for (let index = 16; index < 64; index++) {
      const [x, y] = [words[index - 15]!, words[index - 2]!];
      const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
      const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
      words[index] = words[index - 16]! + s0 + words[index - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let index = 0; index < 64; index++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[index]! + words[index]!) | 0;
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, index) => (state[index] = state[index]! + value));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

const roots = Array.from({ length: 312 }, (_, index) => index).filter(
  (value) =>
    value > 1 &&
    !Array.from({ length: value }, (_, divisor) => divisor).some(
      (divisor) => divisor > 1 && value % divisor === 0,
    ),
);
const constants = Int32Array.from(roots, (prime) => fraction(Math.cbrt(prime)));

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
