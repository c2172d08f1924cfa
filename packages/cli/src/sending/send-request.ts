import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { CommandError } from '../exits.ts';
import { isIP, type LookupFunction } from 'node:net';
import type { ChosenConnection } from './chosen-connection.ts';
import { unreachable } from './unreachable.ts';

/** A request to send, with all of its header lines. */
export interface RequestToSend {
  readonly method: string;
  /** Normalised: the text after the origin is the target. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly durationMs: number;
  readonly timing: Timing;
}

/** How long each step took, in milliseconds. Undefined for a step that was not needed. */
export interface Timing {
  readonly nameMs: number | undefined;
  readonly connectionMs: number | undefined;
  readonly tlsMs: number | undefined;
  /** From the end of the previous step to the status line. */
  readonly firstByteMs: number;
  readonly bodyMs: number;
}

const answerBytesMax = 256 * 1024 * 1024;

/**
 * Sends a request unchanged on its own connection and waits for the whole response. Does not follow redirects
 * or retry: a signature is for one URL and one use. Throws a CommandError `unreachable`.
 */
export async function sendRequest(
  toSend: RequestToSend,
  timeoutSeconds: number,
  { stopped, ...connection }: ChosenConnection & { readonly stopped?: AbortSignal | undefined } = {},
): Promise<ReceivedAnswer> {
  const startedMs = performance.now();
  const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
  const ending = stopped === undefined ? deadline : AbortSignal.any([deadline, stopped]);
  try {
    const request = start(toSend, ending, connection);
    const steps = timeSteps(request, startedMs);
    const response = await responseTo(request, toSend.body);
    const begunMs = performance.now();
    const body = await readBody(response);
    const endedMs = performance.now();
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      headers: pairs(response.rawHeaders),
      body,
      durationMs: endedMs - startedMs,
      timing: { ...steps(begunMs), bodyMs: endedMs - begunMs },
    };
  } catch (error) {
    const seconds = deadline.aborted ? timeoutSeconds : undefined;
    throw unreachable(error, new URL(toSend.url), seconds, connection);
  }
}

/** Returns the header lines that frame a request. */
export function frameHeaders(method: string, url: string, body: Uint8Array | undefined): [string, string][] {
  const hasLength = body !== undefined || ['POST', 'PUT', 'PATCH'].includes(method);
  return [
    ['Host', new URL(url).host],
    ['Connection', 'close'],
    ...(hasLength ? [['Content-Length', String(body?.length ?? 0)] satisfies [string, string]] : []),
  ];
}

function start(
  { method, url, headers }: RequestToSend,
  signal: AbortSignal,
  { address, authorities }: ChosenConnection,
): ClientRequest {
  const { protocol, hostname, port, origin } = new URL(url);
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  return request({
    method,
    protocol,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    // Not pathname and search of the parsed URL: they lose a final question mark.
    path: url.slice(origin.length),
    // Node sends a flat list unchanged and adds nothing.
    headers: headers.flat(),
    agent: false,
    signal,
    // The host stays the one that the certificate must match.
    ...(address !== undefined && { lookup: alwaysFinding(address) }),
    // As with curl, an intermediate authority is enough, without its root. Ignored before Node 20.18 and 22.9.
    ...(authorities !== undefined && { ca: [...authorities], allowPartialTrustChain: true }),
  });
}

function alwaysFinding(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Watches the connection of a request. The returned function gives the steps until the response began. */
function timeSteps(request: ClientRequest, startedMs: number): (begunMs: number) => Omit<Timing, 'bodyMs'> {
  const ends: { lookup?: number; connect?: number; secureConnect?: number } = {};
  request.on('socket', (socket) => {
    for (const step of ['lookup', 'connect', 'secureConnect'] as const)
      socket.once(step, () => (ends[step] ??= performance.now()));
  });
  return (begunMs) => {
    const { lookup, connect, secureConnect } = ends;
    const span = (endMs: number | undefined, beginMs: number): number | undefined =>
      endMs === undefined ? undefined : endMs - beginMs;
    const connected = connect ?? startedMs;
    return {
      nameMs: span(lookup, startedMs),
      connectionMs: span(connect, lookup ?? startedMs),
      tlsMs: span(secureConnect, connected),
      firstByteMs: begunMs - (secureConnect ?? connected),
    };
  };
}

function responseTo(request: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    // A service may reject before it has read everything, so errors after the response are expected and ignored.
    request.on('error', reject);
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(
        new CommandError('unreachable', 'answer_invalid', 'The service switched to another protocol (101).'),
      );
    });
    request.end(body);
  });
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) {
      throw new CommandError(
        'unreachable',
        'answer_invalid',
        `The response has more than ${answerBytesMax} bytes.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  const lines: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    lines.push([rawHeaders[index]!, rawHeaders[index + 1]!]);
  return lines;
}
