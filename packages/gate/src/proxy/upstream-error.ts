/** The ways in which a request can fail behind the gateway. Each is a code of the answer. */
export type UpstreamFailure =
  /** Not one byte of the request left: it was not carried out. */
  | 'upstream_unavailable'
  /** The request left, and no sound answer came: it may have been carried out. */
  | 'upstream_failed'
  /** The request left, and no answer came in time: it may have been carried out. */
  | 'upstream_timeout'
  /** As many requests are already waiting as may. */
  | 'upstream_busy';

/** A request that got no answer from its upstream. */
export class UpstreamError extends Error {
  readonly failure: UpstreamFailure;

  /** @param reason for the log: it may name internal addresses */
  constructor(failure: UpstreamFailure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'UpstreamError';
    this.failure = failure;
  }
}
