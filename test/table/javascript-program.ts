import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createInterface } from 'node:readline';
import { createRequestSigner, RefusedError, SigningError } from '@countersign/client/node';
import { Agent } from 'undici';
import { adapters, type Send } from '../../packages/client/test/adapters.ts';
import type { TableAnswer, TableRequest } from './program.ts';

/**
 * Sends requests through the adapters of the client, like the programs of other languages: see
 * `signers/README.md`.
 */

type Line = Omit<TableRequest, 'body'> & { readonly id: number; readonly body: string | null };

const key = {
  clientId: process.env['CLIENT_ID']!,
  privateKey: readFileSync(process.env['PRIVATE_KEY_FILE']!, 'utf8'),
};
const signer = createRequestSigner(key);
const connections = {
  dispatcher: new Agent(),
  httpAgent: new HttpAgent({ keepAlive: true }),
  httpsAgent: new HttpsAgent(),
};
const sends = new Map(
  adapters.map((one) => [one.name, one.open(one.createSigner?.(key) ?? signer, connections)]),
);

write({ clients: [...sends.keys()], knows: ['isStream', 'timeoutMs'] });
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as Line;
  void answerTo(sends.get(asked.client)!, asked).then((answer) => write({ id: asked.id, ...answer }));
}
await connections.dispatcher.close();
connections.httpAgent.destroy();
connections.httpsAgent.destroy();

function write(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function answerTo(
  send: Send,
  { method, url, headers, body, isStream, timeoutMs }: Line,
): Promise<TableAnswer> {
  const bytes = body === null ? undefined : new Uint8Array(Buffer.from(body, 'base64'));
  try {
    const { status, text } = await send({
      method,
      url,
      headers: Object.fromEntries(headers ?? []),
      body: bytes,
      isStream,
      timeoutMs,
    });
    return answered(status, text);
  } catch (error) {
    return answerOfError(error as Error & { testResponse?: { status: number; text: string } });
  }
}

function answerOfError(
  error: Error & { readonly testResponse?: { readonly status: number; readonly text: string } },
): TableAnswer {
  // Clients wrap an adapter's error.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RefusedError) return { status: cause.status, code: cause.code, body: '' };
    if (cause instanceof SigningError) return { error: cause.code, message: cause.message };
  }
  if (error.testResponse) return answered(error.testResponse.status, error.testResponse.text);
  const { cause } = error;
  return { error: error.name, message: `${error.message} ${cause instanceof Error ? String(cause) : ''}` };
}

function answered(status: number, text: string): TableAnswer {
  return { status, code: null, body: Buffer.from(text).toString('base64') };
}
