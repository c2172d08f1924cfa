import type { IncomingMessage } from 'node:http';
import { formatAddress, type NetworkWhitelist, sourceAddress } from '@countersign/contract/network';
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

/**
 * Reads the original request from a proxy's hand-over.
 *
 * @param proxies recognizes the addresses of proxies, which cannot be a client's
 */
export function readHandOver(
  request: HandOverRequest,
  protocol: AuthorizerProtocol,
  proxies: Pick<NetworkWhitelist, 'allows'>,
): HandOverReading {
  const { rawHeaders, rest, method = '' } = request;
  const rival = rivalIn(rawHeaders, protocol);
  if (rival !== undefined) return misread(`${rival} is not a header of this proxy, so the client sent it`);
  const claim = claimOf(rawHeaders, protocol);
  if (claim !== undefined)
    return misread(`the proxy would forward ${claim}, which a client can set to anything`);
  const read: Record<string, string> = {};
  const sources = valuesOf(rawHeaders, protocol.source);
  if (sources.length === 0) return misread(`the proxy must send ${protocol.source}`);
  const missing = named(protocol).find((name) => {
    const values = valuesOf(rawHeaders, name);
    if (values.length === 1) read[name] = values[0]!;
    return values.length !== 1;
  });
  if (missing !== undefined) return misread(`the proxy must send ${missing} exactly once`);
  const body = bodyOf(request, protocol);
  if (body === undefined) return misread(`the proxy must set ${protocol.bodyShown} to none or kept`);
  const source = sourceAddress(request.socket.remoteAddress, sources, proxies);
  const head = {
    method: protocol.method === own ? method : read[protocol.method]!,
    url: protocol.target === own ? rest : read[protocol.target]!,
    rawHeaders: originalHeaders(request, read[protocol.host]!, protocol),
    httpVersion: '1.1',
  };
  const text = source ? formatAddress(source) : '';
  return { ok: true, handedOver: { head, source: { address: source, text }, body } };
}

const own = 'own';

/** Returns the required headers, each of which must occur exactly once. */
function named({ method, target, host, body, bodyShown }: AuthorizerProtocol): readonly string[] {
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

/** Returns a header that the gateway would not forward. Used for proxies that cannot be told to remove it. */
function claimOf(
  rawHeaders: readonly string[],
  { removals, method, target, host, source, bodyShown, bodyDeclared, sets = [] }: AuthorizerProtocol,
): string | undefined {
  if (removals !== undefined) return undefined;
  const ofProxy = new Set([method, target, host, source, bodyShown, bodyDeclared, ...sets]);
  return claimIn(rawHeaders, (name) => ofProxy.has(name));
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

/** Returns the headers of the original request: without the hand-over's own, and with the original `Host`. */
function originalHeaders(
  { rawHeaders, bytes }: HandOverRequest,
  host: string,
  { method, target, source, bodyShown, bodyDeclared, bodyCut }: AuthorizerProtocol,
): readonly string[] {
  const names = new Set([...ofConnection, method, target, source, bodyShown, bodyDeclared, bodyCut]);
  const kept = rawHeaders.filter((_, index) => !names.has(rawHeaders[index & ~1]!.toLowerCase()));
  const length = 'moreThan' in bytes ? ['Content-Length', String(bytes.moreThan + 1)] : [];
  return ['Host', host, ...length, ...kept];
}

/** Headers that concern only the connection between the proxy and us. */
const ofConnection = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'expect'];

function misread(reason: string): HandOverReading {
  return { ok: false, reason };
}
