import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Address,
  formatAddress,
  type NetworkWhitelist,
  sourceAddress,
} from '@countersign/contract/network';
import { valuesOf } from './framing.ts';

/** A request's source address. */
export interface ClientAddress {
  /** Undefined if unknown; no whitelist allows an unknown address. */
  readonly address: Address | undefined;
  /** The canonical text; empty if unknown. */
  readonly text: string;
}

/** Caches the peer of each open connection: a connection carries many requests from the same peer. */
const peers = new WeakMap<Socket, ClientAddress>();

/** Returns a request's source address: the peer, or what trusted proxies report in `X-Forwarded-For`. */
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

/** Reads an address as a socket or a proxy writes it. An IPv4-mapped IPv6 address counts as IPv4. */
export function namedAddress(text: string | undefined): ClientAddress {
  return described(sourceAddress(text, [], nobody));
}

const nobody: Pick<NetworkWhitelist, 'allows'> = { allows: () => false };

function described(address: Address | undefined): ClientAddress {
  return { address, text: address ? formatAddress(address) : '' };
}
