import {
  type Address,
  formatAddress,
  type NetworkWhitelist,
  sourceAddress,
} from '@countersign/contract/network';
import { valuesOf } from './framing.ts';
import { keepRecent } from './recent-texts.ts';

/** A request's source address. */
export interface ClientAddress {
  /** Undefined if unknown; no whitelist allows an unknown address. */
  readonly address: Address | undefined;
  /** The canonical text; empty if unknown. */
  readonly text: string;
}

/** What a request says about where it comes from. */
interface Sent {
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Finds out where requests come from: the peer, or what trusted proxies report in `X-Forwarded-For`. Reading an
 * address takes longer than most checks, so recent ones are kept.
 */
export class ClientAddresses {
  readonly #field: string;
  readonly #peerOf: (text: string) => Peer;
  readonly #forwardedOf: (lines: string) => ClientAddress;

  /**
   * @param trustedProxies must not change
   * @param field the field in which trusted proxies report addresses, in lower case
   */
  constructor(trustedProxies: Pick<NetworkWhitelist, 'allows'>, field = 'x-forwarded-for') {
    this.#field = field;
    this.#peerOf = keepRecent((peer) => {
      const own = described(sourceAddress(peer, [], trustedProxies));
      return { own, isProxy: trustedProxies.allows(own.address) };
    }, recentAddresses);
    this.#forwardedOf = keepRecent((text) => {
      const [peer, ...lines] = text.split('\n');
      return described(sourceAddress(peer, lines, trustedProxies));
    }, recentAddresses);
  }

  /** Returns a request's source address. */
  of({ socket: { remoteAddress: peer = '' }, rawHeaders }: Sent): ClientAddress {
    const { own, isProxy } = this.#peerOf(peer);
    if (!isProxy) return own;
    // Nothing received contains a line break. No line and an empty one differ: an empty one names no client.
    return this.#forwardedOf([peer, ...valuesOf(rawHeaders, this.#field)].join('\n'));
  }
}

const recentAddresses = { textsMax: 1000, lengthMax: 200 };

interface Peer {
  readonly own: ClientAddress;
  readonly isProxy: boolean;
}

function described(address: Address | undefined): ClientAddress {
  return { address, text: address ? formatAddress(address) : '' };
}

/** Reads addresses of peers that are asked for themselves, not for who is behind them. */
const peers = new ClientAddresses({ allows: () => false });

/** Reads an address as a socket or a proxy writes it. An IPv4-mapped IPv6 address counts as IPv4. */
export function namedAddress(text: string | undefined): ClientAddress {
  return peers.of({ socket: { remoteAddress: text }, rawHeaders: [] });
}
