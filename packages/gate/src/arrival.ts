import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UnseenBody, WaitingClient } from './door.ts';
import { type Answer, type AnswerContext, sendAnswer } from './http/answer.ts';
import { type BodyReading, readBody, type Spooling } from './http/body.ts';
import { connectionFails, proveConnection } from './http/connection-budget.ts';
import type { ClientAddress } from './http/client-address.ts';
import { type ReceivedHead, valuesOf } from './http/framing.ts';
import type { RequestOptions } from './http/listener.ts';
import { isInMemory } from './http/spool.ts';

/** A request as it arrived, and the way back for its answer: over a socket, or through a proxy that hands it over. */
export interface Arrival {
  readonly received: ReceivedHead;
  readonly source: ClientAddress;
  /** Set if a proxy kept the body: what to do without it. */
  readonly unseenBody?: UnseenBody | undefined;
  /** The name of the authorizer that it was handed to, for the log. */
  readonly authorizer?: string;
  /** Receives the body. Called at most once, and only if there may be one. Without `spooling`, it stays in memory. */
  receiveBody(bodyBytesMax: number, spooling: Spooling | undefined): Promise<BodyReading>;
  readonly client: WaitingClient;
  /** Returns true if nobody waits for the answer any more. */
  isGone(): boolean;
  /** Returns true once an answer has begun. */
  isAnswered(): boolean;
  /** Returns true if the caller may or may not send its body: it waits for `100 Continue`. */
  holdsBodyBack(): boolean;
  /** Notes that the sender has proved who it is. */
  proved(): void;
  /** Notes that the request had no valid signature or session. */
  failed(): void;
  /** Adds a header to whatever the answer will be. */
  setHeader(name: string, value: string): void;
  /** Answers an accepted request. If the answer cannot be written, throws before writing any of it. */
  answer(context: AnswerContext, answer: Answer): void;
  /** Answers a refused request, in the same way. */
  refuse(context: AnswerContext, refusal: Answer): void;
  /** Ends the exchange without an answer. */
  cut(): void;
}

/** Describes a request that came over a socket. */
export function socketArrival(
  request: IncomingMessage,
  response: ServerResponse,
  { expectsContinue = false, canSwitch = false }: RequestOptions,
  source: ClientAddress,
): Arrival {
  const write = (context: AnswerContext, answer: Answer): void => sendAnswer(response, context, answer);
  return {
    received: request,
    source,
    async receiveBody(bodyBytesMax, spooling) {
      if (expectsContinue) response.writeContinue();
      const reading = await readBody(request, bodyBytesMax, spooling);
      const body = reading.outcome === 'complete' ? reading.body : undefined;
      if (body && !isInMemory(body)) onceClosed(response, () => body.remove());
      return reading;
    },
    client: waitingClient(response, canSwitch),
    isGone: () => response.destroyed,
    isAnswered: () => response.headersSent,
    holdsBodyBack: () => expectsContinue && !request.complete,
    proved: () => proveConnection(request.socket),
    failed: () => connectionFails(request.socket),
    setHeader: (name, value) => void response.setHeader(name, value),
    answer: write,
    refuse: write,
    cut: () => void response.destroy(),
  };
}

function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.destroyed) act();
  else response.once('close', act);
}

function waitingClient(response: ServerResponse, canSwitch: boolean): WaitingClient {
  return {
    canSwitch,
    onGone: (act) => onceClosed(response, () => response.writableFinished || act()),
    hint(rawHeaders) {
      const links = valuesOf(rawHeaders, 'link');
      if (response.headersSent || response.req.httpVersion !== '1.1' || links.length === 0) return;
      try {
        response.writeEarlyHints({ link: links });
      } catch {
        // Hints that node:http finds malformed are dropped: the answer has its own fields.
      }
    },
  };
}
