import { hash } from 'node:crypto';
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type CandidateKey, explain, type Explanation } from '@countersign/signature/explain';
import { type MistakeCase, readAccount } from './corpus.ts';

/** What the explainer made of one case. */
export interface Evaluated {
  readonly one: MistakeCase;
  readonly explanation: Explanation;
  /** The mistakes that no finding names. */
  readonly unnamed: readonly string[];
  /** Codes that are called proven and are not true of the request. */
  readonly untrueProven: readonly string[];
  /** Codes that are not true of the request, whatever their certainty. */
  readonly untrue: readonly string[];
}

const outputBytesMax = 4_194_304;
const account = readAccount();
const candidates: readonly CandidateKey[] = account.keys.map(({ publicKeyPem, name: _name, ...key }) => ({
  ...key,
  spkiPem: publicKeyPem,
}));
const hashWith = (algorithm: string) => (bytes: Uint8Array) => hash(algorithm, bytes, 'buffer');

/** Has the explainer explain a case, with all that a service can give it. */
export function explainCase({ request, context, claimedBase }: MistakeCase): Explanation {
  const { method, targetUri, headers, bodyBase64 } = request;
  const body = Buffer.from(bodyBase64 ?? '', 'base64');
  return explain({ method, targetUri, headers, body }, candidates, {
    nowSeconds: context.nowSeconds,
    sha256: hashWith('sha256'),
    hashes: {
      md5: hashWith('md5'),
      sha1: hashWith('sha1'),
      sha384: hashWith('sha384'),
      sha512: hashWith('sha512'),
    },
    inflate,
    baseUrls: account.baseUrls,
    internalHosts: account.internalHosts,
    ...(claimedBase !== undefined && { claimedBase }),
    // Only the service knows that a signature was used before.
    ...(context.isRepeated && { refusedWith: 'signature_replayed' as const }),
  });
}

/** Compares what was found with what was done. */
export function evaluate(one: MistakeCase): Evaluated {
  const explanation = explainCase(one);
  const found = new Set<string>(explanation.findings.map(({ code }) => code));
  const others = (code: string): readonly string[] => one.sameAs?.[code] ?? [];
  const isTrue = new Set([...one.mistakes, ...one.mistakes.flatMap(others), ...(one.alsoTrue ?? [])]);
  const untrue = explanation.findings.filter(({ code }) => !isTrue.has(code));
  return {
    one,
    explanation,
    unnamed: one.mistakes.filter((code) => ![code, ...others(code)].some((name) => found.has(name))),
    untrueProven: untrue.filter(({ certainty }) => certainty === 'proven').map(({ code }) => code),
    untrue: untrue.map(({ code }) => code),
  };
}

/** One line about a case, for a list of what is missed. */
export function lineOf({ one, explanation, unnamed, untrueProven }: Evaluated): string {
  const found = explanation.findings.map(({ code, certainty }) => `${code} (${certainty})`).join(', ');
  const wrong = untrueProven.length > 0 ? `; untrue but proven: ${untrueProven.join(', ')}` : '';
  const missed = unnamed.length > 0 ? `; not named: ${unnamed.join(', ')}` : '';
  return `${one.id}${missed}${wrong}; found: ${found || 'nothing'}`;
}

function inflate(bytes: Uint8Array, format: 'gzip' | 'deflate'): Uint8Array | undefined {
  const options = { maxOutputLength: outputBytesMax };
  for (const read of format === 'gzip' ? [gunzipSync] : [inflateSync, inflateRawSync]) {
    try {
      return read(bytes, options);
    } catch {
      // Another form, or damage.
    }
  }
  return undefined;
}
