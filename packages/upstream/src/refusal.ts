import { type Refusal as FailedCheck, refuse as refuseCheck } from '@countersign/signature/profile';

/** Every reason to reject a request. Match on these; texts may change. */
export type RefusalCode =
  /** Method, URL or headers are not valid in an HTTP request. */
  | 'request_malformed'
  /** A header that the gateway writes is repeated, or occurs in two spellings. */
  | 'header_ambiguous'
  /** The gateway did not sign the request: it took another path, or its sender did not authenticate. */
  | 'signature_missing'
  /** The gateway's signature is not in the form that the gateway writes. */
  | 'signature_malformed'
  /** A header that the gateway writes is not covered: somebody else added it. */
  | 'header_unsigned'
  /** A header that identifies the caller is missing. */
  | 'identity_missing'
  /** The URL is not below a base URL of this API. */
  | 'audience_wrong'
  | 'created_in_future'
  | 'expired'
  /** The request has a body that was not passed to the check. */
  | 'body_missing'
  /** There is a body that the signature does not cover, or the other way round. */
  | 'body_unsigned'
  | 'digest_mismatch'
  /** The keys could not be read. Retry later. */
  | 'keys_unavailable'
  /** No node of the service uses the key any more. */
  | 'key_unknown'
  /** Something that the signature covers was changed, or it was made for another base URL. */
  | 'signature_invalid'
  /** The request is a repetition. */
  | 'repeated'
  /** Too many requests arrived within a minute to remember them all. */
  | 'memory_full';

/** A request that must be rejected. The reason is for the log. */
export type Refusal = FailedCheck<RefusalCode>;

export const refuse: (code: RefusalCode, reason: string) => Refusal = refuseCheck;
