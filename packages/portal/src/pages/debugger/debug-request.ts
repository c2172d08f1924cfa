import type { CandidateKey, Conclusion } from '@countersign/explain';
import type { RequestNote, RequestTextAdvice } from '@countersign/explain/request-text';

/** The request, in the form in which somebody has it. */
export type DebugSource =
  | { readonly kind: 'text'; readonly text: string; readonly entry: string | undefined }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly entry: string | undefined }
  | {
      readonly kind: 'fields';
      readonly method: string;
      readonly url: string;
      readonly headers: readonly string[];
    };

/** By which clock of the service the request is looked at. */
export type DebugClock =
  | { readonly kind: 'signed' }
  | { readonly kind: 'now' }
  | { readonly kind: 'at'; readonly seconds: number };

/** What is explained, and with what. It goes from the page to its worker, and nowhere else. */
export interface DebugRequest {
  readonly source: DebugSource;
  /** Where the source does not hold it; undefined to take what the source holds. */
  readonly body: string | undefined;
  readonly candidates: readonly CandidateKey[];
  readonly baseUrls: readonly string[];
  readonly clock: DebugClock;
  readonly claimedBase: string | undefined;
  readonly acceptWithoutDate: boolean;
}

/** What came of it. */
export type DebugAnswer =
  | {
      readonly ok: true;
      readonly conclusion: Conclusion;
      readonly method: string;
      readonly targetUri: string;
      /** Undefined: the source does not tell. */
      readonly bodyBytes: number | undefined;
      /** The client that the request names. */
      readonly keyid: string | undefined;
      readonly nowSeconds: number;
      readonly notes: readonly RequestNote[];
      readonly isClaimTrimmed: boolean;
    }
  | {
      readonly ok: false;
      readonly message: string;
      readonly advice: RequestTextAdvice | undefined;
      readonly choices: readonly string[];
    };
