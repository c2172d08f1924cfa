import { type Refusal as FailedCheck, refuse as refuseCheck } from '@countersign/signature/profile';

/** Every reason to reject a webhook's request. Match on these; texts may change. */
export type WebhookRefusalCode =
  /** The method is not POST, or the headers are not text. */
  | 'request_malformed'
  /** A header that the service writes is repeated. */
  | 'header_ambiguous'
  /** The service did not sign the request, or a header that belongs to the signature is missing. */
  | 'signature_missing'
  /** The signature is not in the form that the service writes. */
  | 'signature_malformed'
  | 'created_in_future'
  | 'expired'
  /** The body's bytes were not passed to the check. */
  | 'body_missing'
  | 'digest_mismatch'
  /** The keys could not be read. The service tries again later. */
  | 'keys_unavailable'
  /** The service does not publish the key. */
  | 'key_unknown'
  /** Something that is signed was changed, or the secret or the URL is another one. */
  | 'signature_invalid'
  /** It is signed, but no event that this version can read. */
  | 'event_malformed';

/** A request that must be rejected. The reason is for the log. */
export type WebhookRefusal = FailedCheck<WebhookRefusalCode>;

export const refuseWebhook: (code: WebhookRefusalCode, reason: string) => WebhookRefusal = refuseCheck;
