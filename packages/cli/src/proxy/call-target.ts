import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { SignedRequest } from '@countersign/signature';
import { readMethods } from '@countersign/signature/free-second';
import { headerValue } from '../signing/header-value.ts';
import { readAnswerJson, textMember } from '../sending/json-text.ts';
import type { RequestToSend } from '../sending/send-request.ts';
import type { FollowedSigner } from './followed-signer.ts';
import type { LocalRequest, ProxyTarget } from './local-request.ts';
import { ProxyRefusal } from './refusals.ts';

/** The connections to the target. They are kept open and reused. */
export interface TargetConnections {
  send(signed: SignedRequest, local: LocalRequest, gone: AbortSignal): Sending;
  /** The time limit for the target's response to begin. */
  readonly timeoutMs: number;
  /** The page of the service's error codes. Undefined: any URL that ends with `/docs/errors`. */
  readonly problemTypeBase: string | undefined;
  close(): void;
}

export interface Sending {
  readonly answer: Promise<IncomingMessage>;
  /** True if the request went out on a connection that had already served another one. */
  readonly isOnKeptConnection: () => boolean;
}

export interface TargetSettings extends Pick<TargetConnections, 'timeoutMs' | 'problemTypeBase'> {
  /** Receives each request as it is sent. */
  readonly trace: (request: RequestToSend) => void;
}

export function openTarget(
  { origin, host }: ProxyTarget,
  { timeoutMs, problemTypeBase, trace }: TargetSettings,
): TargetConnections {
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const options = { keepAlive: true, maxFreeSockets: 256 };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const request = isSecure ? requestHttps : requestHttp;
  const place = { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, agent };
  return {
    send(signed, local, gone) {
      const { method, url, body } = signed;
      const lines = linesOf(signed, local, host);
      trace({ method, url, headers: lines, body });
      const headers = lines.flat();
      const outgoing = request({ ...place, method, path: url.slice(origin.length), headers, signal: gone });
      const answer = new Promise<IncomingMessage>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(timedOut(host, timeoutMs));
          outgoing.destroy();
        }, timeoutMs);
        outgoing.on('close', () => clearTimeout(timer));
        outgoing.on('response', (response) => {
          clearTimeout(timer);
          resolve(response);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
      return { answer, isOnKeptConnection: () => outgoing.reusedSocket };
    },
    timeoutMs,
    problemTypeBase,
    close: () => agent.destroy(),
  };
}

function timedOut(host: string, timeoutMs: number): ProxyRefusal {
  return new ProxyRefusal(
    'target_timeout',
    `${host} did not answer within ${timeoutMs / 1000} s (--timeout).`,
  );
}

/** The header lines of the request: Node sends a flat list unchanged. */
function linesOf(
  { method, headers, body }: SignedRequest,
  local: LocalRequest,
  host: string,
): (readonly [string, string])[] {
  const bytes = body?.length ?? 0;
  // Node would send the body of a method for which it does not expect one in chunks.
  const hasLength = bytes > 0 || local.announcesBody || !bodiless.has(method);
  return [
    ['Host', host],
    ...local.headers,
    ...(hasLength ? [['Content-Length', String(bytes)] as const] : []),
    ...Object.entries(headers),
  ];
}

const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']);

/** More than the service's rejections have. */
const refusalBytesMax = 64 * 1024;

/** A response, and the beginning of its body that was already read. */
export interface TargetAnswer {
  readonly answer: IncomingMessage;
  readonly begun: Buffer;
}

export interface TargetCall {
  readonly local: LocalRequest;
  readonly body: Buffer;
  /** Ends the call when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Called for each attempt. */
  readonly onSigned: (signed: SignedRequest) => void;
}

/**
 * Signs and sends a request. If it is rejected because this machine's clock is off, it is signed anew and
 * sent once more. Nothing else is sent twice, except requests that only read: on a kept connection that ended
 * before the response, or if another signer was faster with an equal one.
 */
export async function callTarget(
  { local, body, gone, onSigned }: TargetCall,
  target: TargetConnections,
  followed: FollowedSigner,
): Promise<TargetAnswer> {
  const { method, url } = local;
  let suspectsReplay = false;
  for (let tries = 1; ; tries += 1) {
    const waiting = { signal: gone, waitMsMax: target.timeoutMs, ownSecond: suspectsReplay };
    const header = (name: string): string | undefined => headerValue(local.headers, name);
    const signed = await followed.sign({ method, url, body, header }, waiting);
    onSigned(signed);
    const sending = target.send(signed, local, gone);
    try {
      const answer = await sending.answer;
      if (suspectsReplay && answer.statusCode !== 401) followed.separateReads();
      const mayRepeat: boolean = tries < 3 && !suspectsReplay;
      suspectsReplay = mayRepeat && method === 'HEAD' && mayBeRefusal(answer);
      if (suspectsReplay) {
        answer.resume();
        continue;
      }
      const begun = await readRefusal(answer);
      if (tries === 3 || begun.length === 0 || !isCured(begun, method, target, followed))
        return { answer, begun };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const canRepeat = readMethods.has(method) && /^(?:ECONNRESET|EPIPE)$/.test(code);
      if (tries === 3 || !sending.isOnKeptConnection() || !canRepeat) throw error;
    }
  }
}

/** The response to a HEAD has no body, and so no code: it may be a replay. */
function mayBeRefusal({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 401 && (headers['content-type'] ?? '').startsWith('application/problem+json');
}

/** Reads a rejection by the service, or its beginning. Reads nothing of any other response. */
async function readRefusal(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (mayBeRefusal(answer)) {
    let bytes = 0;
    // The rest is passed on unread.
    for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > refusalBytesMax) break;
    }
  }
  return Buffer.concat(chunks);
}

/**
 * Returns true if a new signature would make the request succeed, and adopts the service's clock.
 *
 * A change that is rejected as a replay is not sent again: a load balancer on the path may have sent the same
 * bytes twice, and then the first of them was accepted.
 */
function isCured(
  refusal: Buffer,
  method: string,
  { problemTypeBase }: TargetConnections,
  followed: FollowedSigner,
): boolean {
  const problem = readAnswerJson(refusal)?.value;
  const code = textMember(problem, 'code') ?? '';
  // The API may use the same words for codes of its own.
  const type = textMember(problem, 'type');
  const isOfService =
    problemTypeBase === undefined
      ? type?.endsWith(`/docs/errors#${code}`) === true
      : type === `${problemTypeBase}#${code}`;
  if (!isOfService) return false;
  if (code === 'signature_replayed') {
    if (!readMethods.has(method)) return false;
    followed.separateReads();
    return true;
  }
  if (!['created_expired', 'created_in_future', 'date_mismatch'].includes(code)) return false;
  return followed.correctClock(Date.parse(textMember(problem, 'serverTime') ?? ''));
}
