import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOn } from '@countersign/testing/listen-on';

/** A request that a receiver read completely. */
export interface ReceivedEvent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The ID in the body. */
  readonly id: string;
  readonly type: string;
}

/** A real receiver of webhooks on this machine. */
export interface Receiver {
  readonly origin: string;
  readonly received: ReceivedEvent[];
  /** Answers a request; status 204 if not replaced. */
  answer: (response: ServerResponse, event: ReceivedEvent) => void;
  /** The events that were received at a path. */
  at(path: string): readonly ReceivedEvent[];
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    void readEvent(request).then((event) => {
      receiver.received.push(event);
      receiver.answer(response, event);
    });
  });
  const origin = await listenOn(server);
  const receiver: Receiver = {
    origin,
    received: [],
    answer: answerWith(204),
    at: (path) => receiver.received.filter((event) => event.path === path),
    close: () => closeServer(server),
  };
  return receiver;
}

/** Answers every request alike. */
export function answerWith(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Buffer,
): Receiver['answer'] {
  return (response) => void response.writeHead(status, headers).end(body);
}

async function readEvent(request: IncomingMessage): Promise<ReceivedEvent> {
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString('utf8');
  const { id, type } = JSON.parse(body) as { id: string; type: string };
  return {
    path: request.url ?? '',
    headers: request.headers as Record<string, string>,
    rawHeaders: request.rawHeaders,
    body,
    id,
    type,
  };
}
