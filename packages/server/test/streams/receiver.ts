import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import type { Certificate } from '../directories/certificates.ts';

/** A batch that a receiver read completely. */
export interface ReceivedBatch {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A line of a stream, as a receiver has it. */
export interface ReceivedLine {
  readonly source: 'audit' | 'requests';
  readonly id: string;
  readonly position: number;
  readonly previousHash: string;
  readonly digest: string;
  readonly hash: string;
  readonly record?: Readonly<Record<string, unknown>>;
}

/** A real receiver of streams on this machine. */
export interface StreamReceiver {
  readonly origin: string;
  readonly batches: ReceivedBatch[];
  /** The lines of what was acknowledged. */
  readonly kept: string[];
  /** Answers a batch; keeps it and answers with status 204 if not replaced. */
  answer: (response: ServerResponse, batch: ReceivedBatch) => void;
  lines(): readonly ReceivedLine[];
  close(): Promise<void>;
}

/** Opens a receiver, with TLS if it gets a certificate, which is for `localhost`. */
export async function openStreamReceiver(certificate?: Certificate): Promise<StreamReceiver> {
  const read = (request: IncomingMessage, response: ServerResponse): void => {
    void readBatch(request).then(
      (batch) => {
        receiver.batches.push(batch);
        receiver.answer(response, batch);
      },
      () => undefined,
    );
  };
  const server = certificate === undefined ? createServer(read) : createTlsServer(certificate, read);
  const plain = await listenOn(server);
  const receiver: StreamReceiver = {
    origin: certificate === undefined ? plain : `https://localhost:${new URL(plain).port}`,
    batches: [],
    kept: [],
    answer: (response, batch) => keep(receiver, response, batch),
    lines: () => receiver.kept.map((line) => JSON.parse(line) as ReceivedLine),
    close: () => closeServer(server),
  };
  return receiver;
}

/** Keeps a batch, and acknowledges it. */
export function keep(receiver: StreamReceiver, response: ServerResponse, batch: ReceivedBatch): void {
  receiver.kept.push(...batch.body.split('\n').filter((line) => line !== ''));
  response.writeHead(204).end();
}

async function readBatch(request: IncomingMessage): Promise<ReceivedBatch> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    path: request.url ?? '',
    headers: request.headers as Record<string, string>,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
