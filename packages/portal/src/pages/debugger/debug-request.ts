import type { CandidateKey, Conclusion, HopsExplanation } from '@countersign/explain';
import type { MessageProfile } from '@countersign/explain/profiles';
import type { RequestNote, RequestTextAdvice } from '@countersign/explain/request-text';
import type { ProfileId } from '@countersign/signature';

/** The request as the person has it. */
export type DebugSource =
  | { readonly kind: 'text'; readonly text: string; readonly entry: string | undefined }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly entry: string | undefined }
  | {
      readonly kind: 'fields';
      readonly method: string;
      readonly url: string;
      readonly headers: readonly string[];
    };

/** The time to check the request at. */
export type DebugClock =
  | { readonly kind: 'signed' }
  | { readonly kind: 'now' }
  | { readonly kind: 'at'; readonly seconds: number };

/** The input of the worker. It goes nowhere else. */
export interface DebugRequest {
  readonly source: DebugSource;
  /** A separate body; undefined to use the one in the source. */
  readonly body: string | undefined;
  /** The same request as the program sent it, if it may have been changed in transit; undefined if not given. */
  readonly sent: string | undefined;
  readonly candidates: readonly CandidateKey[];
  readonly baseUrls: readonly string[];
  readonly clock: DebugClock;
  readonly claimedBase: string | undefined;
  /** The closed profile to judge by, unless there is a `messageProfile`. */
  readonly profile: ProfileId;
  /** Another profile to judge by. */
  readonly messageProfile: MessageProfile | undefined;
}

/** The rules to judge by. */
export type DebugRules = Pick<DebugRequest, 'profile' | 'messageProfile'>;

export type DebugAnswer =
  | {
      readonly ok: true;
      readonly conclusion: Conclusion;
      /** The changes in transit; undefined if only one request was given. */
      readonly hops: HopsExplanation | undefined;
      readonly method: string;
      readonly targetUri: string;
      /** Undefined if the source does not say. */
      readonly bodyBytes: number | undefined;
      /** The client, or its key, that the request names. */
      readonly keyid: string | undefined;
      /** The client among the candidates that the `keyid` names, perhaps by one of its keys. */
      readonly namedClientId: string | undefined;
      readonly nowSeconds: number;
      readonly notes: readonly RequestNote[];
      readonly isClaimTrimmed: boolean;
    }
  | {
      readonly ok: false;
      /** Names the input that could not be read. */
      readonly part: 'request' | 'sent';
      readonly message: string;
      readonly advice: RequestTextAdvice | undefined;
      readonly choices: readonly string[];
    };
