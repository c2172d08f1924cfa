import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Address,
  formatAddress,
  type NetworkWhitelist,
  sourceAddress,
} from '@countersign/contract/network';
import { valuesOf } from './framing.ts';

/** Where a request comes from. */
export interface ClientAddress {
  /** Undefined when it cannot be told; no whitelist allows that. */
  readonly address: Address | undefined;
  /** The canonical text; empty when it cannot be told. */
  readonly text: string;
}

/** The peers of open connections: a connection brings many requests, and its peer does not change. */
const peers = new WeakMap<Socket, ClientAddress>();

/** The source address of a request: the peer, or what trusted proxies say in `X-Forwarded-For`. */
export function clientAddress(
  { socket, rawHeaders }: Pick<IncomingMessage, 'socket' | 'rawHeaders'>,
  trustedProxies: Pick<NetworkWhitelist, 'allows'>,
): ClientAddress {
  let peer = peers.get(socket);
  if (!peer) peers.set(socket, (peer = described(sourceAddress(socket.remoteAddress, [], trustedProxies))));
  if (!trustedProxies.allows(peer.address)) return peer;
  const forwarded = valuesOf(rawHeaders, 'x-forwarded-for');
  return described(sourceAddress(socket.remoteAddress, forwarded, trustedProxies));
}

function described(address: Address | undefined): ClientAddress {
  return { address, text: address ? formatAddress(address) : '' };
}
