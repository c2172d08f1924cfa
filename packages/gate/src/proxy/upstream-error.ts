/** The ways in which a request can fail behind the gateway. Each is a problem code. */
export type UpstreamFailure =
  /** No byte of the request was sent: it was not carried out. */
  | 'upstream_unavailable'
  /** The request was sent, but no valid response arrived: it may have been carried out. */
  | 'upstream_failed'
  /** The request was sent, but no response arrived in time: it may have been carried out. */
  | 'upstream_timeout'
  /** The queue for the upstream is full. */
  | 'upstream_busy';

/** A request that got no response from its upstream. */
export class UpstreamError extends Error {
  readonly failure: UpstreamFailure;

  /** @param reason for the log: it may name internal addresses */
  constructor(failure: UpstreamFailure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'UpstreamError';
    this.failure = failure;
  }
}
