/**
 * The explainer on Node: hashes, decompression and the clock come from the runtime. Re-exports the rest of the package.
 *
 * @module
 */
import { hash } from 'node:crypto';
import { gunzipSync, inflateSync } from 'node:zlib';
import { explain } from './explain.ts';
import type {
  CandidateKey,
  Explanation,
  ExplainOptions,
  HashFunction,
  ReceivedRequest,
} from './explanation.ts';
import { explainGiven, type GivenExplanation } from './given-request.ts';

export * from './index.ts';

/** The options of `explain` that Node cannot supply by itself. */
export type ExplainRequestOptions = Omit<ExplainOptions, 'sha256' | 'hashes' | 'inflate' | 'monotonicMs'>;

/**
 * Explains why a request is refused; see `explain`. Takes 200 ms at most unless the options say otherwise.
 * Never throws for bad input.
 */
export function explainRequest(
  request: ReceivedRequest,
  candidates: readonly CandidateKey[],
  options: ExplainRequestOptions,
): Explanation {
  return explain(request, candidates, { ...options, ...meansOfNode });
}

/**
 * Explains a request that somebody pasted, with or without a key; see `explainGiven`. Takes 2 s at most unless the
 * options say otherwise. Never throws for bad input.
 */
export function explainGivenRequest(
  request: ReceivedRequest,
  candidates: readonly CandidateKey[],
  options: ExplainRequestOptions,
): GivenExplanation {
  return explainGiven(request, candidates, { ...options, ...meansOfNode });
}

/** Hashes many small inputs. Node returns the digest much faster as a string than as a Buffer. */
function hashFunction(algorithm: string): HashFunction {
  return (bytes) => {
    const text = hash(algorithm, bytes, 'latin1');
    const value = new Uint8Array(text.length);
    for (let index = 0; index < value.length; index++) value[index] = text.charCodeAt(index);
    return value;
  };
}

const meansOfNode = {
  sha256: hashFunction('sha256'),
  hashes: {
    md5: hashFunction('md5'),
    sha1: hashFunction('sha1'),
    sha384: hashFunction('sha384'),
    sha512: hashFunction('sha512'),
  },
  inflate,
  monotonicMs: (): number => performance.now(),
};

/** Stops decompression bombs: a few kilobytes can expand to gigabytes. */
const inflatedBytesMax = 4 * 1024 * 1024;

function inflate(bytes: Uint8Array, format: 'gzip' | 'deflate'): Uint8Array | undefined {
  try {
    const limits = { maxOutputLength: inflatedBytesMax };
    return format === 'gzip' ? gunzipSync(bytes, limits) : inflateSync(bytes, limits);
  } catch {
    return undefined;
  }
}
