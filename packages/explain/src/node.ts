/**
 * The explainer for Node, with the runtime's hashes, decompression and clock. Re-exports the rest of the package.
 *
 * @module
 */
import { hash } from 'node:crypto';
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { explain } from './explain.ts';
import type {
  CandidateKey,
  ExplainOptions,
  Explanation,
  HashFunction,
  RequestToExplain,
} from './explanation.ts';
import { explainGiven, type GivenExplanation } from './given-request.ts';
import { explainHops, type HopsExplanation } from './hops/explain-hops.ts';
import type { RequestView } from './hops/request-view.ts';

export * from './index.ts';

/** The options of `explain` that Node does not provide itself. `monotonicMs` replaces its clock, for tests. */
export type ExplainRequestOptions = Omit<ExplainOptions, 'sha256' | 'hashes' | 'inflate' | 'gzip'>;

/** Explains why a request is rejected; see `explain`. Takes at most 1 s by default. Never throws for bad input. */
export function explainRequest(
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
  options: ExplainRequestOptions,
): Explanation {
  return explain(request, candidates, { monotonicMs, ...options, ...meansOfNode });
}

/**
 * Explains a pasted request with or without a key; see `explainGiven`. Takes at most 2 s by default. Never throws for
 * bad input.
 */
export function explainGivenRequest(
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
  options: ExplainRequestOptions,
): GivenExplanation {
  return explainGiven(request, candidates, { monotonicMs, ...options, ...meansOfNode });
}

/** Shows which hop changed what in a request, from several views of it; see `explainHops`. */
export function explainRequestHops(
  views: readonly RequestView[],
  candidates: readonly CandidateKey[],
  options: ExplainRequestOptions,
): HopsExplanation {
  return explainHops(views, candidates, { monotonicMs, ...options, ...meansOfNode });
}

/** Fast for many small inputs: Node returns a digest much faster as a string than as a Buffer. */
function hashFunction(algorithm: string): HashFunction {
  const hashOf = (bytes: Uint8Array): Uint8Array => {
    const text = hash(algorithm, bytes, 'latin1');
    const value = new Uint8Array(text.length);
    for (let index = 0; index < value.length; index++) value[index] = text.charCodeAt(index);
    return value;
  };
  return Object.assign(hashOf, { ofText: (text: string): string => hash(algorithm, text, 'latin1') });
}

const meansOfNode = {
  sha256: hashFunction('sha256'),
  hashes: {
    md5: hashFunction('md5'),
    sha1: hashFunction('sha1'),
    sha224: hashFunction('sha224'),
    sha384: hashFunction('sha384'),
    sha512: hashFunction('sha512'),
  },
  inflate,
  gzip: (bytes: Uint8Array): readonly Uint8Array[] => [6, 9, 1].map((level) => gzipSync(bytes, { level })),
};

const monotonicMs = (): number => performance.now();

/** Stops decompression bombs. */
const inflatedBytesMax = 4 * 1024 * 1024;

function inflate(bytes: Uint8Array, format: 'gzip' | 'deflate'): Uint8Array | undefined {
  try {
    const limits = { maxOutputLength: inflatedBytesMax };
    return format === 'gzip' ? gunzipSync(bytes, limits) : inflateSync(bytes, limits);
  } catch {
    return undefined;
  }
}
