import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UnseenBody, WaitingClient } from './door.ts';
import { type Answer, type AnswerContext, sendAnswer } from './http/answer.ts';
import { type BodyReading, readBody, type Spooling } from './http/body.ts';
import { connectionFails, proveConnection } from './http/connection-budget.ts';
import type { ClientAddress } from './http/client-address.ts';
import { type ReceivedHead, valuesOf } from './http/framing.ts';
import type { RequestOptions } from './http/listener.ts';
import { isInMemory } from './http/spool.ts';

/** A request as received, and the means to respond to it: over a socket, or through a proxy that hands it over. */
export interface Arrival {
  readonly received: ReceivedHead;
  readonly source: ClientAddress;
  /** Set if a proxy kept the body: what to do without it. */
  readonly unseenBody?: UnseenBody | undefined;
  /** The name of the authorizer that received it, for the log. */
  readonly authorizer?: string;
  /** Receives the body. Called at most once, and only if there may be one. Without `spooling`, it stays in memory. */
  receiveBody(bodyBytesMax: number, spooling: Spooling | undefined): Promise<BodyReading>;
  readonly client: WaitingClient;
  /** Returns true if the caller no longer waits for the response. */
  isGone(): boolean;
  /** Returns true once a response has begun. */
  isAnswered(): boolean;
  /** Returns true if the caller is waiting for `100 Continue`, so it may or may not send its body. */
  holdsBodyBack(): boolean;
  /** Records that the sender has authenticated. */
  proved(): void;
  /** Records that the request had no valid signature or session. */
  failed(): void;
  /** Adds a header to the response, whatever that will be. */
  setHeader(name: string, value: string): void;
  /** Responds to an accepted request. If the response cannot be written, throws before writing any of it. */
  answer(context: AnswerContext, answer: Answer): void;
  /** Responds to a rejected request in the same way. */
  refuse(context: AnswerContext, refusal: Answer): void;
  /** Ends the exchange without a response. */
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
        // Drop hints that node:http finds malformed: the response has its own fields.
      }
    },
  };
}
