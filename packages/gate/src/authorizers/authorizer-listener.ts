import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '@countersign/contract/ids';
import type { NetworkWhitelist } from '@countersign/contract/network';
import { type AnswerContext, answerHeaders, problemAnswer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import { namedAddress } from '../http/client-address.ts';
import { valuesOf } from '../http/framing.ts';
import { endWith } from '../http/send-bytes.ts';
import { inMemory } from '../http/spool.ts';
import type { RequestListener } from '../http/listener.ts';
import type { Authorizer, HeaderPairs, Verdict } from './authorizer.ts';
import { namesToRemove } from './envoy-removals.ts';
import { HandOverReader } from './hand-over.ts';
import { type AuthorizerProtocol, type AuthorizerProtocolName, authorizerProtocols } from './protocols.ts';

/** An authorizer that proxies ask over HTTP, at `/authorize/` and the protocol's name. */
export interface HttpAuthorizer {
  readonly protocol: AuthorizerProtocolName;
  /** The proxies that may ask. Requests from any other address are ignored. */
  readonly from: Pick<NetworkWhitelist, 'allows'>;
  readonly authorize: Authorizer;
}

/** Everything that the listener of authorizers is built from. */
export interface AuthorizerListenerParts {
  readonly authorizers: readonly HttpAuthorizer[];
  /** Further proxies between clients and the proxies that ask. */
  readonly trustedProxies: Pick<NetworkWhitelist, 'allows'>;
  /** The largest body that stays in memory. A larger one counts as kept by its proxy. */
  readonly bodyBytesMax: number;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  /**
   * Reports a request that is not a valid hand-over: the peer is not configured, the path matches no
   * authorizer, or a header is wrong.
   */
  readonly misused: (misuse: AuthorizerMisuse) => void;
}

/** A request that no authorizer handled. */
export interface AuthorizerMisuse {
  /** The response's ID, if it has one. */
  readonly requestId?: string;
  readonly status: number;
  readonly peer: string;
  /** Without the query. */
  readonly path: string;
  readonly reason: string;
}

/** Creates the listener for requests from proxies. */
export function createAuthorizerListener(parts: AuthorizerListenerParts): RequestListener {
  const byName = new Map(parts.authorizers.map((one) => [one.protocol as string, openDoor(one, parts)]));
  return (request, response, { expectsContinue = false } = {}) => {
    void take(request, response, expectsContinue, byName, parts).catch(() => response.destroy());
  };
}

/** An authorizer, and what reads the hand-overs for it. */
interface AuthorizerDoor extends HttpAuthorizer {
  readonly facts: AuthorizerProtocol;
  readonly reader: HandOverReader;
}

function openDoor(authorizer: HttpAuthorizer, { trustedProxies }: AuthorizerListenerParts): AuthorizerDoor {
  const facts = authorizerProtocols[authorizer.protocol];
  const proxies: Pick<NetworkWhitelist, 'allows'> = {
    allows: (address) => authorizer.from.allows(address) || trustedProxies.allows(address),
  };
  return { ...authorizer, facts, reader: new HandOverReader(facts, proxies) };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  byName: ReadonlyMap<string, AuthorizerDoor>,
  parts: AuthorizerListenerParts,
): Promise<void> {
  const { url = '' } = request;
  const [, name = '', rest = ''] = /^\/authorize\/([a-z-]+)((?:[/?].*)?)$/.exec(url) ?? [];
  const authorizer = byName.get(name);
  if (authorizer === undefined) return turnAway(404, 'no authorizer has this path', request, response, parts);
  if (!authorizer.from.allows(namedAddress(request.socket.remoteAddress).address))
    return turnAway(403, `${name} is not configured for this address`, request, response, parts);
  const { bodyBytesMax } = parts;
  const { facts: protocol, reader } = authorizer;
  const isKept = keepsBody(protocol, request.rawHeaders);
  if (expectsContinue && !isKept) response.writeContinue();
  const hasBody = announcesBody(request.rawHeaders);
  const reading = isKept || !hasBody ? nothingRead : await readBody(request, bodyBytesMax);
  if (reading.outcome === 'aborted') return;
  const { method, rawHeaders, socket } = request;
  const bytes = reading.outcome === 'complete' ? inMemory(reading.body) : { moreThan: bodyBytesMax };
  const handOver = reader.read({ method, rawHeaders, socket, rest, bytes });
  const verdict = handOver.ok
    ? await authorizer.authorize(handOver.handedOver)
    : malformed(handOver.reason, request, parts);
  const isUnread = isKept && hasBody;
  if (isUnread) {
    const reason = 'the proxy keeps the body, so it must not send Content-Length or Transfer-Encoding';
    parts.misused({
      status: verdict.allowed ? 200 : verdict.status,
      peer: peerOf(request),
      path: pathOf(request),
      reason,
    });
  }
  if (reading.outcome === 'too-large' || isUnread) response.shouldKeepAlive = false;
  write(verdict, protocol, rawHeaders, response);
}

/** Returns true if the hand-over has no body, whatever its framing announces. */
function keepsBody({ body, bodyShown }: AuthorizerProtocol, rawHeaders: readonly string[]): boolean {
  return body === 'kept' || (bodyShown !== undefined && valuesOf(rawHeaders, bodyShown).includes('kept'));
}

function announcesBody(rawHeaders: readonly string[]): boolean {
  const lengths = valuesOf(rawHeaders, 'content-length');
  return (
    valuesOf(rawHeaders, 'transfer-encoding').length > 0 || lengths.some((length) => Number(length) !== 0)
  );
}

const nothingRead = { outcome: 'complete', body: new Uint8Array(0) } as const;

/** Responds to a request that matches no authorizer. Anyone may have sent it, so the response reveals nothing. */
function turnAway(
  status: number,
  reason: string,
  request: IncomingMessage,
  response: ServerResponse,
  parts: AuthorizerListenerParts,
): void {
  parts.misused({ status, peer: peerOf(request), path: pathOf(request), reason });
  response.writeHead(status, { Connection: 'close', 'Content-Length': '0' }).end();
}

/** Rejects a hand-over that breaks its protocol. A client may be the cause, so the response is a problem document. */
function malformed(reason: string, request: IncomingMessage, parts: AuthorizerListenerParts): Verdict {
  const nowMs = parts.nowMs();
  const context: AnswerContext = {
    requestId: newId('request', nowMs),
    problemTypeBase: parts.problemTypeBase,
    hasBody: false,
    alg: undefined,
    nowMs,
    closeConnection: false,
  };
  const { status, headers, bytes } = problemAnswer(context, 'request_malformed', { reason });
  parts.misused({
    requestId: context.requestId,
    status,
    peer: peerOf(request),
    path: pathOf(request),
    reason,
  });
  const pairs = Object.entries(answerHeaders(context, headers)) as [string, string][];
  return { allowed: false, status, headers: pairs, body: bytes };
}

function write(
  verdict: Verdict,
  { refusals, removals }: AuthorizerProtocol,
  rawHeaders: readonly string[],
  response: ServerResponse,
): void {
  if (verdict.allowed) {
    const removed = removals === undefined ? [] : namesToRemove(rawHeaders, verdict.headers);
    const told: HeaderPairs = removed.length > 0 ? [[removals!, removed.join(', ')]] : [];
    send(200, [...verdict.headers, ...verdict.answerHeaders, ...told], noBytes, response);
    return;
  }
  const { status, headers, body } = verdict;
  if (refusals === 'whole') send(status, headers, body, response);
  else {
    const told: HeaderPairs = [
      ['Countersign-Refusal-Status', String(status)],
      ['Countersign-Refusal', asciiJson(body)],
    ];
    send(403, [...headers.filter(([name]) => name !== 'Content-Type'), ...told], noBytes, response);
  }
}

function send(status: number, headers: HeaderPairs, body: Uint8Array, response: ServerResponse): void {
  const fields = ['Content-Length', String(body.length)];
  for (const [name, value] of headers) fields.push(name, value);
  response.writeHead(status, fields);
  endWith(response, body);
}

/** Returns the document in characters that are allowed in a header. */
function asciiJson(document: Uint8Array): string {
  return Buffer.from(document)
    .toString('utf8')
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function peerOf({ socket }: IncomingMessage): string {
  return namedAddress(socket.remoteAddress).text;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!.slice(0, 512);
}

const noBytes = new Uint8Array(0);
