import type { ServerResponse } from 'node:http';
import type { ProblemCode } from '@countersign/contract/problems';
import { problems } from '@countersign/contract/problems';
import { endAfterBody } from './body.ts';
import { isAboutTime, problemBody, problemHeaders, type ProblemMembers } from './problem.ts';

/** What every answer of one request shares. */
export interface AnswerContext {
  readonly requestId: string;
  readonly problemTypeBase: string;
  /** Whether the request has a body; undefined while that is unknown. */
  hasBody: boolean | undefined;
  /** How much of a body that is still coming is let pass by after the answer, in bytes. */
  readonly bodyBytesMax: number;
  readonly nowMs: number;
  /** Whether the connection ends with this answer. */
  closeConnection: boolean;
  /** Header fields that this answer has, whatever it is. */
  fields?: Readonly<Record<string, string>>;
}

/** Writes an answer with a JSON body, or none. */
export function sendJson(
  response: ServerResponse,
  context: AnswerContext,
  status: number,
  headers: Readonly<Record<string, string>> | undefined,
  body: unknown,
): void {
  if (body === undefined) send(response, context, status, { ...headers }, '');
  else
    send(response, context, status, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body));
}

/** Writes an answer with a text, whose `Content-Type` stands in the headers. */
export function sendText(
  response: ServerResponse,
  context: AnswerContext,
  status: number,
  headers: Readonly<Record<string, string>> | undefined,
  text: string,
): void {
  send(response, context, status, { ...headers }, text);
}

/**
 * Writes the head of a stream of server-sent events, and has them told until one of the two sides ends it. Nothing is told
 * where only the head was asked for.
 */
export function sendStream(
  response: ServerResponse,
  context: AnswerContext,
  headers: Readonly<Record<string, string>> | undefined,
  stream: (output: { readonly write: (text: string) => number; readonly end: () => void }) => () => void,
): void {
  if (context.closeConnection) response.shouldKeepAlive = false;
  response.writeHead(200, {
    ...context.fields,
    'Content-Type': 'text/event-stream',
    ...headers,
    ...standingHeaders(context),
    // A proxy that gathers answers would keep events back.
    'X-Accel-Buffering': 'no',
  });
  if (response.req.method === 'HEAD' || response.destroyed) {
    response.end();
    return;
  }
  response.flushHeaders();
  const stop = stream({
    write: (text) => {
      if (!response.writableEnded && !response.destroyed) response.write(text);
      return response.writableLength;
    },
    end: () => response.end(),
  });
  response.once('close', stop);
}

/** Writes the refusal with this code. */
export function sendProblem(
  response: ServerResponse,
  context: AnswerContext,
  code: ProblemCode,
  members: ProblemMembers & { readonly retryAfterSeconds?: number | undefined } = {},
  headers?: Readonly<Record<string, string>>,
): void {
  const { retryAfterSeconds, ...told } = members;
  const body = problemBody(context.problemTypeBase, code, {
    ...told,
    requestId: context.requestId,
    serverTime: isAboutTime(code) ? new Date(context.nowMs).toISOString() : undefined,
  });
  const all = { ...problemHeaders(code, context.hasBody, retryAfterSeconds), ...headers };
  send(response, context, problems[code].status, all, body);
}

/** What every answer says. */
function standingHeaders({ requestId }: AnswerContext): Record<string, string> {
  return { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Request-Id': requestId };
}

function send(
  response: ServerResponse,
  context: AnswerContext,
  status: number,
  ownHeaders: Readonly<Record<string, string>>,
  body: string,
): void {
  const bytes = Buffer.from(body, 'utf8');
  const headers: Record<string, string> = { ...context.fields, ...ownHeaders };
  // An answer without content has no length either (RFC 9110 section 8.6).
  if (status !== 204) headers['Content-Length'] = String(bytes.length);
  Object.assign(headers, standingHeaders(context));
  // node:http then says Connection: close, and the listener hears nothing more on the connection.
  if (context.closeConnection) response.shouldKeepAlive = false;
  response.writeHead(status, headers);
  if (context.hasBody === false) response.end(bytes);
  else endAfterBody(response, bytes, context.bodyBytesMax);
}
