import { decodeBase64 } from '../../signature/src/exports.ts';
import { type CandidateKey, explain, type HashFunction, portableSha256 } from '../src/index.ts';

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

export interface ExplainedCase {
  readonly id: string;
  readonly found: readonly string[];
}

const caseStep = 7;
const hypothesesMax = 2000;

/** Explains some cases using only what every runtime has. */
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
  const results = explainCases({ ...(single as object), account } as MistakenCases, portableSha256, (time) =>
    times.push(time),
  );
  return { results, medianMs: times.toSorted((a, b) => a - b)[times.length >> 1]! };
}
