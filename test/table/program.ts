import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A request for one client of a program. `signers/README.md` describes the lines that programs read. */
export interface TableRequest {
  readonly client: string;
  readonly method: string;
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly body?: Uint8Array | undefined;
  readonly isStream?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A client's result for a request: a response, a rejection or an error. */
export interface TableAnswer {
  readonly status?: number;
  /** The code of a rejection by the service. */
  readonly code?: string | null;
  /** Base64. */
  readonly body?: string | null;
  /** The code of the signer's error, or the name of the client's. */
  readonly error?: string;
  readonly message?: string;
}

/** A program that sends requests through the HTTP clients of its language, on demand. */
export interface Program {
  readonly clients: readonly string[];
  /** Resolves with the error `not_supported` if the program does not know a field of the request. */
  send(request: TableRequest): Promise<TableAnswer>;
  close(): Promise<void>;
}

/** The first line of a program. */
interface Offer {
  readonly clients: readonly string[];
  /** Optional fields of requests that it supports. */
  readonly knows?: readonly string[];
}

const extraFields = ['isStream', 'timeoutMs'] as const;

/** The time limit for a client. Longer than their own time-outs: a program that reports nothing at all is broken. */
const answerMsMax = 90_000;

/** Waits until a program has listed its clients. It may have to be compiled first. */
export async function openProgram(name: string, child: ChildProcess): Promise<Program> {
  let output = '';
  let isOver = false;
  const keep = (text: string): void => void (output = (output + text).slice(-20_000));
  const waiting = new Map<number, (answer: TableAnswer) => void>();
  const closed = once(child, 'close').then(([code]) => {
    isOver = true;
    for (const settle of waiting.values()) settle({ error: 'program_ended', message: `${code}: ${output}` });
  });
  child.stderr!.setEncoding('utf8').on('data', keep);
  // A program that ends early reports it by its exit code.
  child.stdin!.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout! });
  const { clients, knows = [] } = await new Promise<Offer>((resolve, reject) => {
    void closed.then(() => reject(new Error(`The program of ${name} ended at once:\n${output}`)));
    lines.on('line', (line) => {
      if (!line.startsWith('{')) return keep(`${line}\n`);
      const read = JSON.parse(line) as Offer & TableAnswer & { readonly id: number };
      if (read.clients) return resolve(read);
      waiting.get(read.id)?.(read);
    });
  });
  let last = 0;
  return {
    clients,
    send({ headers = [], body, ...request }) {
      const unknown = extraFields.filter((field) => request[field] !== undefined && !knows.includes(field));
      if (unknown.length > 0)
        return Promise.resolve({
          error: 'not_supported',
          message: `the program ignores ${unknown.join(', ')}`,
        });
      const id = ++last;
      return new Promise((resolve) => {
        const settle = (answer: TableAnswer): void => {
          clearTimeout(limit);
          waiting.delete(id);
          resolve(answer);
        };
        const limit = setTimeout(() => settle({ error: 'no_answer', message: output }), answerMsMax);
        waiting.set(id, settle);
        if (isOver) return settle({ error: 'program_ended', message: output });
        const encoded = body === undefined ? null : Buffer.from(body).toString('base64');
        child.stdin!.write(`${JSON.stringify({ ...request, id, headers, body: encoded })}\n`);
      });
    },
    async close() {
      child.stdin!.end();
      const limit = setTimeout(() => child.kill('SIGKILL'), closeMsMax);
      await closed;
      clearTimeout(limit);
    },
  };
}

const closeMsMax = 10_000;
