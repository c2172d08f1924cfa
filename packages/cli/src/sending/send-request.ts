import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { CommandError } from '../command-error.ts';
import { unreachable } from './unreachable.ts';

/** A request to send: every header line that it shall have. */
export interface RequestToSend {
  readonly method: string;
  /** Normalised: the target that is sent is the text after the origin. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

/** An answer, complete. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly durationMs: number;
}

const answerBytesMax = 256 * 1024 * 1024;

/**
 * Sends a request on a connection of its own, exactly as it is given, and waits for the whole answer. Redirects are not
 * followed and nothing is repeated: a signature is for one URL and one use. Throws CommandError `unreachable`.
 */
export async function sendRequest(toSend: RequestToSend, timeoutSeconds: number): Promise<Answer> {
  const startedMs = performance.now();
  const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const request = start(toSend, deadline);
    const response = await responseTo(request, toSend.body);
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      headers: pairs(response.rawHeaders),
      body: await readBody(response),
      durationMs: performance.now() - startedMs,
    };
  } catch (error) {
    throw unreachable(error, new URL(toSend.url), deadline.aborted ? timeoutSeconds : undefined);
  }
}

/** The header lines that a request has besides those of its signature and its caller. */
export function frameHeaders(method: string, url: string, body: Uint8Array | undefined): [string, string][] {
  const hasLength = body !== undefined || ['POST', 'PUT', 'PATCH'].includes(method);
  return [
    ['Host', new URL(url).host],
    ['Connection', 'close'],
    ...(hasLength ? [['Content-Length', String(body?.length ?? 0)] satisfies [string, string]] : []),
  ];
}

function start({ method, url, headers }: RequestToSend, signal: AbortSignal): ClientRequest {
  const { protocol, hostname, port, origin } = new URL(url);
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  return request({
    method,
    protocol,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    // Not pathname and search of the parsed URL: they lose a question mark with nothing after it.
    path: url.slice(origin.length),
    // A flat list is written as it stands; nothing is added to it.
    headers: headers.flat(),
    agent: false,
    signal,
  });
}

function responseTo(request: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    // Also after the response has begun, when it settles nothing any more: a service may refuse before it has read all.
    request.on('error', reject);
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(
        new CommandError(
          'unreachable',
          'answer_invalid',
          'The service answered with another protocol (101).',
        ),
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
        `The answer has more than ${answerBytesMax} bytes.`,
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
