import { type OperationId, operations } from '@countersign/contract';
import { baseUrl } from '@countersign/testing/running-service';
import { headersOf } from '../../packages/server/test/management/persons.ts';
import { type ManagementCall, pathOf } from '../../packages/server/test/management/scene.ts';
import { type Ground, type GroundSize, openGround } from './ground.ts';
import { inputsOf } from './inputs.ts';
import { Sender } from './sender.ts';
import type { Receipt } from './sender-thread.ts';
import { signedInputs } from './signed-inputs.ts';
import { measureThread } from './thread-time.ts';

export interface CostOptions {
  readonly size: GroundSize;
  /** The number of times that an input is sent unless it is cheap at once. */
  readonly repeats: number;
  /** Sends only every nth input of an operation, and the first; all by default. */
  readonly every?: number;
  /** Only these operations, or `gate`. */
  readonly only?: readonly string[];
  readonly onProgress?: (text: string) => void;
}

/** The cost of an input for the responding thread, in milliseconds of its processor time: medians. */
export interface Cost {
  /** An operation, or `gate`. */
  readonly subject: string;
  readonly what: string;
  /** The longest turn of the event loop, for which all other requests waited. */
  readonly longestMs: number;
  readonly wholeMs: number;
  readonly receipt: Receipt;
}

export const gate = 'gate';

/** Sends the most expensive inputs of every operation and of the gate's own check to a service in this process. */
export async function measureCost(options: CostOptions): Promise<readonly Cost[]> {
  const { size, only, onProgress = () => undefined } = options;
  const sender = await Sender.start();
  try {
    const ground = await openGround(size, { upstreamUrl: sender.upstreamUrl, onProgress });
    try {
      const costs: Cost[] = [];
      const ids = Object.keys(operations) as OperationId[];
      for (const subject of [gate, ...ids].filter((one) => only === undefined || only.includes(one))) {
        const some = await costsOf(subject, ground, sender, options);
        costs.push(...some);
        onProgress(`${subject}: ${some.length} inputs, ${most(some).toFixed(1)} ms`);
      }
      return costs;
    } finally {
      await ground.play.scene.close();
    }
  } finally {
    await sender.close();
  }
}

function most(costs: readonly Cost[]): number {
  return Math.max(0, ...costs.map(({ longestMs }) => longestMs));
}

/** One request, ready to be sent. */
interface Ready {
  readonly port: number;
  readonly bytes: Uint8Array;
}

async function costsOf(
  subject: string,
  ground: Ground,
  sender: Sender,
  { repeats, every = 1 }: CostOptions,
): Promise<Cost[]> {
  const inputs =
    subject === gate ? await gateInputs(ground) : await operationInputs(ground, subject as OperationId);
  const costs: Cost[] = [];
  for (const { what, ready } of inputs.filter((_, index) => index % every === 0)) {
    const measured = [await measureOne(sender, await ready())];
    // The first time, the engine has not compiled the code yet.
    while (measured.length < repeats && (measured.length > 1 || measured[0]!.longestMs > cheapMs))
      measured.push(await measureOne(sender, await ready()));
    const { result: receipt } = measured[0]!;
    const longestMs = median(measured.map((one) => one.longestMs));
    costs.push({ subject, what, longestMs, wholeMs: median(measured.map((one) => one.wholeMs)), receipt });
  }
  return costs;
}

const cheapMs = 4;

async function measureOne(sender: Sender, { port, bytes }: Ready) {
  return measureThread(() => sender.send(port, bytes));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0;
}

interface ReadyInput {
  readonly what: string;
  readonly ready: () => Ready | Promise<Ready>;
}

async function gateInputs(ground: Ground): Promise<readonly ReadyInput[]> {
  const { service } = ground.play.scene.running;
  const port = Number(new URL(service.apiAddress!).port);
  return (await signedInputs(ground)).map(({ what, bytes }) => ({
    what,
    ready: () => ({ port, bytes: bytes() }),
  }));
}

async function operationInputs(ground: Ground, id: OperationId): Promise<readonly ReadyInput[]> {
  const { port } = ground.play.scene.running;
  return (await inputsOf(ground, id)).map(({ what, call }) => ({
    what,
    ready: async () => ({ port, bytes: requestOf(ground, id, await call()) }),
  }));
}

/** The bytes of a request: from a person, whose session is looked up, or signed if only clients may call. */
function requestOf(
  ground: Ground,
  id: OperationId,
  { path = {}, query, body, headers }: ManagementCall,
): Uint8Array {
  const { method, path: template } = operations[id];
  const target = `${pathOf(template, path)}${query === undefined ? '' : `?${query}`}`;
  const sent =
    body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const url = baseUrl + target;
  const { person } = ground.play;
  const admission =
    operations[id].callers === 'clients'
      ? ground.nextSigner().sign({ method, url, ...(sent && { body: sent }) }).headers
      : headersOf(person, method);
  const fields = {
    Host: new URL(baseUrl).host,
    Connection: 'close',
    ...(sent && { 'Content-Type': 'application/json', 'Content-Length': String(sent.length) }),
    ...admission,
    ...headers,
    ...(headers?.['Cookie'] !== undefined && { Cookie: `${headers['Cookie']}; ${person.cookie}` }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return sent === undefined ? head : Buffer.concat([head, sent]);
}
