import type { IncomingMessage } from 'node:http';
import type { NetworkWhitelist } from '@countersign/contract/network';
import { ClientAddresses } from '../http/client-address.ts';
import { valuesOf } from '../http/framing.ts';
import { claimIn } from '../proxy/forwarded-headers.ts';
import type { HandedOver } from './authorizer.ts';
import { type AuthorizerProtocol, rivalHeaders } from './protocols.ts';

/** A hand-over, or the reason why it breaks the protocol. */
export type HandOverReading =
  | { readonly ok: true; readonly handedOver: HandedOver }
  | { readonly ok: false; readonly reason: string };

/** What a proxy sent, with the body already read. */
export interface HandOverRequest extends Pick<IncomingMessage, 'method' | 'rawHeaders' | 'socket'> {
  /** The rest of the target after the authorizer's path. */
  readonly rest: string;
  readonly bytes: Uint8Array | { readonly moreThan: number };
}

/** Reads original requests from the hand-overs of one protocol. */
export class HandOverReader {
  readonly #protocol: AuthorizerProtocol;
  readonly #addresses: ClientAddresses;
  /** The headers that must occur exactly once. */
  readonly #required: readonly string[];
  /** The headers that the proxy writes in place of the client. */
  readonly #ofProxy: ReadonlySet<string>;
  /** The headers of the hand-over that the original request does not have. */
  readonly #notOriginal: ReadonlySet<string>;

  /** @param proxies recognizes the addresses of proxies, which cannot be a client's */
  constructor(protocol: AuthorizerProtocol, proxies: Pick<NetworkWhitelist, 'allows'>) {
    const { method, target, host, source, bodyShown, bodyDeclared, bodyCut, sets = [] } = protocol;
    this.#protocol = protocol;
    this.#addresses = new ClientAddresses(proxies, source);
    this.#required = requiredOf(protocol);
    this.#ofProxy = setOf([method, target, host, source, bodyShown, bodyDeclared, ...sets]);
    this.#notOriginal = setOf([...ofConnection, method, target, source, bodyShown, bodyDeclared, bodyCut]);
  }

  read(request: HandOverRequest): HandOverReading {
    const protocol = this.#protocol;
    const { rawHeaders, rest, method = '' } = request;
    const rival = rivalIn(rawHeaders, protocol);
    if (rival !== undefined) return misread(`${rival} is not a header of this proxy, so the client sent it`);
    // A proxy that can be told removes what the gateway would not forward.
    const claim =
      protocol.removals === undefined ? claimIn(rawHeaders, (name) => this.#ofProxy.has(name)) : undefined;
    if (claim !== undefined)
      return misread(`the proxy would forward ${claim}, which a client can set to anything`);
    if (valuesOf(rawHeaders, protocol.source).length === 0)
      return misread(`the proxy must send ${protocol.source}`);
    const said: Record<string, string> = {};
    for (const name of this.#required) {
      const values = valuesOf(rawHeaders, name);
      if (values.length !== 1) return misread(`the proxy must send ${name} exactly once`);
      said[name] = values[0]!;
    }
    const body = bodyOf(request, protocol);
    if (body === undefined) return misread(`the proxy must set ${protocol.bodyShown} to none or kept`);
    const head = {
      method: protocol.method === own ? method : said[protocol.method]!,
      url: protocol.target === own ? rest : said[protocol.target]!,
      rawHeaders: this.#originalHeaders(request, said[protocol.host]!),
      httpVersion: '1.1',
    };
    return { ok: true, handedOver: { head, source: this.#addresses.of(request), body } };
  }

  /** Returns the headers of the original request: without the hand-over's own, and with the original `Host`. */
  #originalHeaders({ rawHeaders, bytes }: HandOverRequest, host: string): readonly string[] {
    const original = ['Host', host];
    if ('moreThan' in bytes) original.push('Content-Length', String(bytes.moreThan + 1));
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!;
      if (!this.#notOriginal.has(name.toLowerCase())) original.push(name, rawHeaders[index + 1]!);
    }
    return original;
  }
}

function setOf(names: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(names.filter((name) => name !== undefined));
}

const own = 'own';

function requiredOf({ method, target, host, body, bodyShown }: AuthorizerProtocol): readonly string[] {
  const always = [method, target, host].filter((name) => name !== own);
  return body === 'kept' && bodyShown !== undefined ? [...always, bodyShown] : always;
}

function rivalIn(rawHeaders: readonly string[], { method, target }: AuthorizerProtocol): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (rivalHeaders.has(name) && name !== method && name !== target) return rawHeaders[index];
  }
  return undefined;
}

/** Returns undefined if the proxy omits a required statement about the body. */
function bodyOf(
  request: HandOverRequest,
  { body, bodyShown, bodyDeclared, bodyCut }: AuthorizerProtocol,
): HandedOver['body'] | undefined {
  const { rawHeaders, bytes } = request;
  const shown = bodyShown === undefined ? [] : valuesOf(rawHeaders, bodyShown);
  if (shown.some((value) => value !== 'none' && value !== 'kept')) return undefined;
  if (shown.includes('kept')) return 'unseen';
  if (bodyCut !== undefined && valuesOf(rawHeaders, bodyCut).some((value) => value !== 'false'))
    return 'unseen';
  if (body === 'kept') return 'none';
  if ('moreThan' in bytes) return 'unseen';
  const isKnown = bytes.length > 0 || bodyDeclared === undefined || isDeclared(bodyDeclared, request);
  return isKnown ? bytes : 'unseen';
}

function isDeclared(place: string, { rest, rawHeaders }: HandOverRequest): boolean {
  if (place === 'query') return rest === '?body=whole';
  const values = valuesOf(rawHeaders, place);
  return values.length === 1 && values[0] === 'whole';
}

/** Headers that concern only the connection between the proxy and us. */
const ofConnection = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'expect'];

function misread(reason: string): HandOverReading {
  return { ok: false, reason };
}
