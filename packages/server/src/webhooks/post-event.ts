import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { webhookLimits } from '@countersign/contract';
import { askOnce, overConnection } from '../directories/bounded-exchange.ts';
import type { NetworkMeans } from '../directories/connection.ts';
import type { DirectoryUrl } from '../directories/directory-url.ts';
import type { DeliveryProblem } from './delivery-problem.ts';
import { problemOfConnection } from './webhook-url.ts';

/** The limits of one attempt. */
const postLimits = {
  /** From resolving the name to the head of the answer. */
  totalMs: 15_000,
  /** From there to the last byte of the answer that is kept. */
  answerMs: 3000,
  headBytesMax: 16_384,
  /** All that is read of an answer: interim responses, head, and the framing of chunks too. */
  wireBytesMax: 65_536,
} as const;

/** One attempt. */
export interface PostedEvent {
  readonly target: DirectoryUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly means: NetworkMeans;
  /** Aborts after some milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
}

/** What became of an attempt. */
export interface PostOutcome {
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** The first bytes of the answer as text; undefined without one. */
  readonly answer: string | undefined;
  /** The reason why it failed; undefined for a success, which is a status of 200 to 299. */
  readonly problem: DeliveryProblem | undefined;
}

/**
 * Sends an event by POST: no redirects, one connection for one request. Never rejects.
 *
 * Time, addresses tried, and every byte that is read are limited, whatever the receiver does: see `postLimits`. Of the
 * answer, only the status and `Retry-After` mean anything.
 */
export async function postEvent(event: PostedEvent): Promise<PostOutcome> {
  const { target, means, deadline, closing } = event;
  const signal = AbortSignal.any([closing, deadline(postLimits.totalMs)]);
  try {
    return await overConnection(target, means, signal, (socket) => exchange(socket, event, signal));
  } catch (error) {
    if (signal.aborted) return failed('timed_out');
    return failed(problemOfConnection(error) ?? 'response_malformed');
  }
}

function failed(problem: DeliveryProblem): PostOutcome {
  return { status: undefined, retryAfter: undefined, answer: undefined, problem };
}

async function exchange(
  socket: Socket,
  { target: { url }, headers, body, deadline }: PostedEvent,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const { headBytesMax, wireBytesMax } = postLimits;
  const stop = (): void => void socket.destroy();
  const asked = askOnce(socket, {
    method: 'POST',
    url,
    headers: { 'Content-Length': String(body.length), ...headers },
    headBytesMax,
    wireBytesMax,
    onTooMany: stop,
  });
  asked.on('upgrade', stop);
  const answer = await firstAnswer(asked, body, socket, signal);
  const text = await readStart(answer, socket, deadline(postLimits.answerMs));
  const status = answer.statusCode ?? 0;
  const isSuccess = status >= 200 && status < 300;
  return {
    status,
    retryAfter: answer.headers['retry-after'],
    answer: text,
    problem: isSuccess ? undefined : 'status_not_ok',
  };
}

async function firstAnswer(
  asked: ClientRequest,
  body: Buffer,
  socket: Socket,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const ended = new AbortController();
  socket.once('close', () => ended.abort());
  const answered = once(asked, 'response', { signal: AbortSignal.any([signal, ended.signal]) });
  asked.end(body);
  const [answer] = (await answered) as [IncomingMessage];
  return answer;
}

/** Reads the first bytes of an answer, as far as they arrive in time. The status counts whatever becomes of them. */
async function readStart(answer: IncomingMessage, socket: Socket, late: AbortSignal): Promise<string> {
  const { answerBytesMax } = webhookLimits;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = (): void => void socket.destroy();
  late.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= answerBytesMax) break;
    }
  } catch {
    // Cut off: the part that arrived is enough.
  } finally {
    late.removeEventListener('abort', stop);
  }
  const start = Buffer.concat(chunks).subarray(0, answerBytesMax).toString('utf8');
  // PostgreSQL stores no zero bytes.
  return start.replaceAll('\u0000', '\uFFFD');
}
