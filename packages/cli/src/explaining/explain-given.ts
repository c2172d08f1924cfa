import type { CandidateKey, ExplainOptions } from '@countersign/explain';
import { explainGivenRequest } from '@countersign/explain/node';
import type { PastedRequest } from '@countersign/explain/request-text';
import type { Field } from '../terminal/layout.ts';
import type { ExplainedRequest } from './show-explanation.ts';

export interface ExplainSettings {
  readonly targetUri: string;
  readonly candidates: readonly CandidateKey[];
  readonly nowSeconds: number;
  /** The source of the time, for people. */
  readonly clockSource: '--clock' | 'as recorded' | 'now' | 'of the service' | 'of this machine';
  /** The base that the caller claims to have built, exactly as in the file. */
  readonly claimedBase: string | undefined;
  readonly options: Partial<ExplainOptions>;
}

/** Explains a request on this machine with the given keys. Without keys it reports what is visible. */
export function explainGiven(request: PastedRequest, settings: ExplainSettings): ExplainedRequest {
  const { targetUri, candidates, nowSeconds, clockSource, claimedBase } = settings;
  const { method, headers, body, source } = request;
  const hasKey = candidates.length > 0;
  const { conclusion, isClaimTrimmed } = explainGivenRequest(
    { method, targetUri, headers, body },
    candidates,
    { ...settings.options, nowSeconds, ...(claimedBase !== undefined && { claimedBase }) },
  );
  const bodyText = body === undefined ? 'not known' : body.length === 0 ? 'none' : `${body.length} bytes`;
  const clock = new Date(nowSeconds * 1000).toISOString().replace('.000Z', 'Z');
  return {
    conclusion,
    hasKey,
    about: [
      ['request', `${method} ${targetUri}`],
      ['body', bodyText],
      ...candidates.map(({ fingerprint, clientId }): Field => [
        'key',
        `${fingerprint} for ${clientId || 'any client'}`,
      ]),
      ['clock', `${clock} (${clockSource})`],
    ],
    request: {
      source,
      method,
      targetUri,
      bodyBytes: body?.length,
      clock,
      keys: candidates.map(({ fingerprint, clientId }) => ({ fingerprint, clientId })),
    },
    advice: [
      ...(isClaimTrimmed ? [claimTrimmed] : []),
      ...(conclusion.isComplete ? [] : ['The search ended at its limit: there may be more to find.']),
    ],
  };
}

const claimTrimmed =
  'We ignored the newline at the end of the --base file, assuming that an editor added it. If you signed it, ' +
  'that is a mistake: nothing may follow the last line.';
