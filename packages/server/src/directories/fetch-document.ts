import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { askOnce, overConnection } from './bounded-exchange.ts';
import type { NetworkMeans } from './connection.ts';
import { type DirectoryProblem, DirectoryFault, directoryProblem } from './directory-problem.ts';
import type { DirectoryUrl } from './directory-url.ts';

/** The limits of one fetch. */
export const fetchLimits = {
  /** From resolving the name to the last byte of the body. */
  totalMs: 5000,
  bodyBytesMax: 65_536,
  headBytesMax: 16_384,
  headerLinesMax: 100,
  /** All that is read of an answer: interim responses, head, and the framing of chunks too. */
  wireBytesMax: 98_304,
} as const;

export interface DocumentRequest {
  readonly directory: DirectoryUrl;
  /** The header `Accept`. */
  readonly accept: string;
  /** Returns true for a `Content-Type` that the document may have. */
  readonly isAcceptable: (contentType: string) => boolean;
  readonly means: NetworkMeans;
  /** Aborts after some milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
}

/** A document as it was served. */
export interface FetchedDocument {
  readonly ok: true;
  readonly body: Uint8Array;
  readonly cacheControl: string;
}

/**
 * Fetches a document by GET: status 200 only, no redirects, no content coding, one connection for one request. Never rejects.
 *
 * Time, addresses tried, and every byte that is read are limited, whatever the server does: see `fetchLimits`.
 */
export async function fetchDocument(request_: DocumentRequest): Promise<FetchedDocument | DirectoryProblem> {
  const { directory, means, closing } = request_;
  const signal = AbortSignal.any([closing, request_.deadline(fetchLimits.totalMs)]);
  try {
    return await overConnection(directory, means, signal, (socket) => exchange(socket, request_, signal));
  } catch (error) {
    if (closing.aborted) return directoryProblem('closing');
    if (signal.aborted) return directoryProblem('timed_out');
    return error instanceof DirectoryFault ? error.problem : directoryProblem('response_malformed');
  }
}

async function exchange(
  socket: Socket,
  { directory: { url }, accept, isAcceptable }: DocumentRequest,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  let fault: DirectoryFault | undefined;
  const stopped = new AbortController();
  const stop = (code: DirectoryFault['problem']['code']): void => {
    fault ??= new DirectoryFault(code);
    stopped.abort();
    asked.destroy();
    socket.destroy();
  };
  const { headBytesMax, wireBytesMax } = fetchLimits;
  const onTooMany = (): void => stop('document_too_large');
  const headers = { Accept: accept };
  const asked = askOnce(socket, { method: 'GET', url, headers, headBytesMax, wireBytesMax, onTooMany });
  asked.on('upgrade', () => stop('status_not_ok'));
  const endedEarly = (): void => stop('response_malformed');
  asked.on('close', endedEarly);
  try {
    const answer = await firstAnswer(asked, AbortSignal.any([signal, stopped.signal]));
    asked.off('close', endedEarly);
    checkHead(answer, isAcceptable);
    const body = await readBody(answer);
    return { ok: true, body, cacheControl: answer.headers['cache-control'] ?? '' };
  } catch (error) {
    throw fault ?? error;
  }
}

async function firstAnswer(asked: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const answered = once(asked, 'response', { signal });
  asked.end();
  const [answer] = (await answered) as [IncomingMessage];
  return answer;
}

/** @throws DirectoryFault for a head after which the body need not be read */
function checkHead(answer: IncomingMessage, isAcceptable: (contentType: string) => boolean): void {
  const { statusCode = 0, rawHeaders, headers } = answer;
  if (statusCode >= 300 && statusCode < 400) throw new DirectoryFault('redirected');
  if (statusCode !== 200)
    throw new DirectoryFault(
      'status_not_ok',
      `The server answered with status ${statusCode} instead of 200.`,
    );
  if (rawHeaders.length / 2 > fetchLimits.headerLinesMax) throw new DirectoryFault('response_malformed');
  const valuesOf = (name: string): readonly string[] =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  const codings = [...valuesOf('content-encoding'), ...valuesOf('transfer-encoding')];
  if (!codings.every((coding) => /^(?:identity|chunked)?$/i.test(coding.trim())))
    throw new DirectoryFault('encoding_not_allowed');
  const contentTypes = valuesOf('content-type');
  if (contentTypes.length !== 1 || !isAcceptable(contentTypes[0]!))
    throw new DirectoryFault('content_type_not_allowed');
  if (Number(headers['content-length'] ?? 0) > fetchLimits.bodyBytesMax)
    throw new DirectoryFault('document_too_large');
}

async function readBody(answer: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > fetchLimits.bodyBytesMax) throw new DirectoryFault('document_too_large');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof DirectoryFault ? error : new DirectoryFault('document_cut_off');
  }
  return Buffer.concat(chunks);
}
