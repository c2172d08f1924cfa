import { type Refusal as FailedCheck, refuse as refuseCheck } from '@countersign/signature/profile';

/** Every reason for which a request is refused. Match on these; texts may change. */
export type RefusalCode =
  /** Method, URL or headers are not those of an HTTP request. */
  | 'request_malformed'
  /** A header that the gateway writes comes twice, or in two spellings. */
  | 'header_ambiguous'
  /** The gateway did not sign the request: it came another way, or nobody proved who sent it. */
  | 'signature_missing'
  /** The gateway's signature has another form than the gateway writes. */
  | 'signature_malformed'
  /** A header that says who called is missing. */
  | 'identity_missing'
  /** The URL is not below a base URL of this API. */
  | 'audience_wrong'
  | 'created_in_future'
  | 'expired'
  /** The request has a body that was not given to the check. */
  | 'body_missing'
  /** There is a body that the signature does not cover, or the other way round. */
  | 'body_unsigned'
  | 'digest_mismatch'
  /** The keys could not be read. Repeat the request later. */
  | 'keys_unavailable'
  /** No node of the service uses the key now. */
  | 'key_unknown'
  /** Something that the signature covers was changed, or it was made for another base URL. */
  | 'signature_invalid'
  /** The request came before. */
  | 'repeated'
  /** Too many requests came within a minute to remember them all. */
  | 'memory_full';

/** A request that must not be answered. The reason is for the log. */
export type Refusal = FailedCheck<RefusalCode>;

export const refuse: (code: RefusalCode, reason: string) => Refusal = refuseCheck;
