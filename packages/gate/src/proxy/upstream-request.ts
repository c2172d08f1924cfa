import type { WaitingClient } from '../door.ts';
import type { ReceivedBody } from '../http/spool.ts';
import type { Relay } from './relay.ts';
import type { Tunnel } from './tunnel.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** A request for an upstream: everything that is sent except framing. */
export interface UpstreamRequest {
  readonly method: string;
  /** The raw target, in origin-form. */
  readonly target: string;
  /** Names and values in turn, for an upstream at this origin. */
  readonly headersFor: (origin: URL) => string[];
  /** The verified body. */
  readonly body: ReceivedBody;
  readonly firstByteSeconds: number | undefined;
  readonly idleSeconds: number | undefined;
  /** The protocol to switch to; undefined for none. */
  readonly upgrade: string | undefined;
}

/** A response that has begun. */
export type UpstreamAnswer = Relay | Tunnel;

/** A destination for the gateway's requests. */
export interface ForwardingUpstream {
  readonly settings: UpstreamSettings;
  /**
   * Sends a request and resolves once its response begins.
   *
   * @throws UpstreamError if there is none
   */
  send(request: UpstreamRequest, client: WaitingClient): Promise<UpstreamAnswer>;
}
