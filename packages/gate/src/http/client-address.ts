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

/** What a request says about where it comes from. */
interface Sent {
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface Peer {
  readonly own: ClientAddress;
  readonly isProxy: boolean;
}

/**
 * Finds out where requests come from: the peer, or what trusted proxies report in `X-Forwarded-For`.
 *
 * Reading an address takes longer than most checks, and the same callers send many requests, so recent texts
 * are kept with what they mean. That depends on the text alone, whoever sent it.
 */
export class ClientAddresses {
  readonly #trustedProxies: Pick<NetworkWhitelist, 'allows'>;
  readonly #field: string;
  readonly #peers = new RecentTexts<Peer>();
  readonly #forwarded = new RecentTexts<ClientAddress>();

  /** @param field the field in which trusted proxies report addresses, in lower case */
  constructor(trustedProxies: Pick<NetworkWhitelist, 'allows'>, field = 'x-forwarded-for') {
    this.#trustedProxies = trustedProxies;
    this.#field = field;
  }

  /** Returns a request's source address. */
  of({ socket: { remoteAddress: peer = '' }, rawHeaders }: Sent): ClientAddress {
    const { own, isProxy } = this.#peers.get(peer, () => this.#readPeer(peer));
    if (!isProxy) return own;
    const lines = valuesOf(rawHeaders, this.#field);
    // Nothing received contains a line break. No line and an empty one differ: an empty one names no client.
    const text = [peer, ...lines].join('\n');
    return this.#forwarded.get(text, () => described(sourceAddress(peer, lines, this.#trustedProxies)));
  }

  #readPeer(peer: string): Peer {
    const own = described(sourceAddress(peer, [], this.#trustedProxies));
    return { own, isProxy: this.#trustedProxies.allows(own.address) };
  }
}

function described(address: Address | undefined): ClientAddress {
  return { address, text: address ? formatAddress(address) : '' };
}

/** Keeps what was read from short texts, for a bounded number of them. */
class RecentTexts<Meaning> {
  readonly #known = new Map<string, Meaning>();

  get(text: string, read: () => Meaning): Meaning {
    if (text.length > textLengthMax) return read();
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const meaning = read();
    // Callers can invent texts, which then costs one reading each.
    if (this.#known.size >= textsMax) this.#known.clear();
    this.#known.set(text, meaning);
    return meaning;
  }
}

const textsMax = 1000;
const textLengthMax = 200;

/** Reads addresses of peers that are asked for themselves, not for who is behind them. */
const peers = new ClientAddresses({ allows: () => false });

/** Reads an address as a socket or a proxy writes it. An IPv4-mapped IPv6 address counts as IPv4. */
export function namedAddress(text: string | undefined): ClientAddress {
  return peers.of({ socket: { remoteAddress: text }, rawHeaders: [] });
}
