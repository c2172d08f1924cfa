import { once } from 'node:events';
import { request } from 'node:http';
import { type OperationId, operations } from '@countersign/contract';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { headersOf } from './persons.ts';
import { type ManagementCall, type ManagementScene, type Person, pathOf } from './scene.ts';

/** A request that was let in, and whose body is not sent yet. */
export interface SlowRequest {
  /** Sends the body. */
  finish(): Promise<Answer>;
}

/** Sends the head of a person's request, and waits until the service asks for its body: then it has passed the checks. */
export async function beginRequest(
  scene: ManagementScene,
  person: Person,
  id: OperationId,
  call: ManagementCall,
): Promise<SlowRequest> {
  const { method, path } = operations[id];
  const body = JSON.stringify(call.body ?? {});
  const outgoing = request({
    host: '127.0.0.1',
    port: scene.running.port,
    method,
    path: pathOf(path, call.path ?? {}),
    agent: false,
    setHost: false,
    headers: {
      Host: new URL(baseUrl).host,
      ...headersOf(person, method),
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      Expect: '100-continue',
      ...call.headers,
    },
  });
  const answer = readAnswer(outgoing);
  outgoing.flushHeaders();
  await Promise.race([once(outgoing, 'continue'), answer]);
  return {
    finish: () => {
      outgoing.end(body);
      return answer;
    },
  };
}

function readAnswer(outgoing: ReturnType<typeof request>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, text, json: () => JSON.parse(text) as Record<string, unknown> });
      });
    });
  });
}
