import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Signer } from '@countersign/signature/node';
import { closeServer } from '@countersign/testing/listen-on';
import { runService } from '@countersign/testing/running-service';
import type { Application } from './application.ts';
import { type Answer, type Call, exchange, pairsOf } from './exchange.ts';

/** Headers that the gateway adds to a response. */
const added: ReadonlySet<string> = new Set(['countersign-request-id']);
/** Fields that say something about one connection only, and the time. */
const notCompared = 'connection keep-alive transfer-encoding date'.split(' ');
/** The gateway waits as long as the direct client does, so that a busy machine makes no difference between them. */
const patience = { connectSeconds: 60, firstByteSeconds: 60, idleSeconds: 60 };

export interface CallOptions {
  readonly headers?: Call['headers'];
  readonly body?: string | Uint8Array;
}

/**
 * An application that runs twice on equal data: one copy is called directly, the other through the gateway.
 * Each request goes to both, and both must respond alike: status, reason, headers with their order and
 * spelling, and every byte of the body.
 */
export class Twins {
  /** The address at which any client gets the gateway's responses, because it signs unsigned requests. */
  readonly address: string;
  readonly #direct: string;
  readonly #gateway: string;
  readonly #signer: Signer;
  readonly #madeUp: RegExp | undefined;
  /** Values that each copy generates for itself, such as session IDs: the gateway's by those of the direct copy. */
  readonly #counterparts = new Map<string, string>();
  readonly #differences: string[] = [];
  #comparedCount = 0;
  readonly #closers: readonly (() => Promise<void>)[];

  private constructor(
    addresses: { readonly own: string; readonly direct: string; readonly gateway: string },
    signer: Signer,
    madeUp: RegExp | undefined,
    closers: readonly (() => Promise<void>)[],
  ) {
    this.address = addresses.own;
    this.#direct = addresses.direct;
    this.#gateway = addresses.gateway;
    this.#signer = signer;
    this.#madeUp = madeUp;
    this.#closers = closers;
  }

  /**
   * Starts two copies, and a gateway before the second.
   *
   * @param start starts one copy with fresh data
   * @param madeUp matches values that every copy generates for itself, with the flag `g`
   */
  static async start(start: () => Promise<Application>, madeUp?: RegExp): Promise<Twins> {
    const applications: Application[] = [];
    const proxy = createServer();
    const closers: (() => Promise<void>)[] = [
      async () => void (await Promise.all(applications.map((one) => one.stop()))),
      () => closeServer(proxy),
    ];
    try {
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const own = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      for (let copy = 0; copy < 2; copy++) applications.push(await start());
      const [direct, behind] = applications.map(({ address }) => address);
      const running = await runService({
        COUNTERSIGN_UPSTREAMS: JSON.stringify({ application: { addresses: behind, ...patience } }),
        COUNTERSIGN_API_BASE_URLS: own,
        COUNTERSIGN_BODY_BYTES_MAX: String(32 * 2 ** 20),
        // Without limits, responses are the same in all headers except the request's ID.
        COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
      });
      closers.push(() => running.close());
      const { signer } = await running.addClient({ roles: ['api-user'] });
      const gateway = running.service.apiAddress!;
      const twins = new Twins({ own, direct: direct!, gateway }, signer, madeUp, closers);
      proxy.on('request', (request: IncomingMessage, response: ServerResponse) => {
        twins.#relay(request, response).catch((error: unknown) => {
          twins.#differences.push(String(error));
          response.destroy();
        });
      });
      return twins;
    } catch (error) {
      await closeAll(closers);
      throw error;
    }
  }

  /** The number of requests whose responses were compared. */
  get comparedCount(): number {
    return this.#comparedCount;
  }

  /** Sends a request to both and returns the gateway's response. Fails if they differ. */
  async call(method: string, path: string, { headers, body }: CallOptions = {}): Promise<Answer> {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const { answer, differences } = await this.#callBoth({ method, path, headers, body: bytes });
    assert.deepEqual(differences, []);
    return answer;
  }

  /** Fails if a response to a client of `address` differed. */
  assertAlike(): void {
    assert.deepEqual(this.#differences, []);
  }

  async stop(): Promise<void> {
    await closeAll(this.#closers);
  }

  async #callBoth(call: Call): Promise<{ answer: Answer; differences: string[] }> {
    const host = ['Host', new URL(this.address).host] as const;
    const headers = [host, ...(call.headers ?? [])];
    const signed = this.#signer.sign({
      method: call.method,
      url: this.address + call.path,
      body: call.body,
    });
    const [direct, gateway] = await Promise.all([
      exchange(this.#direct, this.#forDirect({ ...call, headers })),
      exchange(this.#gateway, { ...call, headers: [...headers, ...Object.entries(signed.headers)] }),
    ]);
    this.#learn(direct, gateway);
    this.#comparedCount += 1;
    const differences = this.#differencesOf(direct, gateway);
    return { answer: gateway, differences: differences.map((one) => `${call.method} ${call.path}: ${one}`) };
  }

  /** Replaces the generated values of the copy behind the gateway with those of the other one. */
  #forDirect({ method, path, headers = [], body }: Call): Call {
    const translate = (text: string): string =>
      this.#madeUp ? text.replace(this.#madeUp, (value) => this.#counterparts.get(value) ?? value) : text;
    return {
      method,
      path: translate(path),
      headers: headers.map(([name, value]) => [name, translate(value)] as const),
      body: body && Buffer.from(translate(body.toString('latin1')), 'latin1'),
    };
  }

  #learn(direct: Answer, gateway: Answer): void {
    if (this.#madeUp === undefined) return;
    const isSame = direct.body.equals(gateway.body);
    const textOf = (answer: Answer): string =>
      isSame ? headOf(answer, []) : `${headOf(answer, [])}\n\n${answer.body.toString('latin1')}`;
    const valuesOf = (answer: Answer): readonly string[] => textOf(answer).match(this.#madeUp!) ?? [];
    const ofDirect = valuesOf(direct);
    for (const [index, value] of valuesOf(gateway).entries()) {
      const counterpart = ofDirect[index];
      if (counterpart !== undefined) this.#counterparts.set(value, counterpart);
    }
  }

  #differencesOf(direct: Answer, gateway: Answer): string[] {
    const neutral = (text: string): string => (this.#madeUp ? text.replace(this.#madeUp, '') : text);
    // A server counts a program's output if it arrives at once, and sends it in chunks otherwise.
    const isCounted = [direct, gateway].every((one) => one.header('content-length') !== '');
    const framing = isCounted ? [] : ['content-length'];
    const [left, right] = [
      neutral(headOf(direct, framing)),
      neutral(headOf(gateway, [...added, ...framing])),
    ];
    const differences = left === right ? [] : [`the head is\n${left}\nand through the gateway\n${right}`];
    for (const name of added) if (gateway.header(name) === '') differences.push(`there is no ${name}`);
    if (direct.body.equals(gateway.body)) return differences;
    const [before, behind] = [direct, gateway].map(({ body }) => neutral(body.toString('latin1')));
    if (before !== behind) {
      const at = firstDifference(before!, behind!);
      const near = [before!, behind!].map((text) =>
        JSON.stringify(text.slice(Math.max(0, at - 40), at + 40)),
      );
      differences.push(
        `of ${before!.length} and ${behind!.length} bytes, ${near.join(' is ')} from ${at} on`,
      );
    }
    return differences;
  }

  /** Serves a client that signs nothing. */
  async #relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', rawHeaders } = request;
    // A fragment cannot be signed: no server sees one.
    if (url.includes('#')) {
      response.writeHead(400).end();
      return;
    }
    const framing = /^(?:host|connection|te|transfer-encoding|content-length|expect)$/i;
    const { answer, differences } = await this.#callBoth({
      method,
      path: url,
      headers: pairsOf(rawHeaders).filter(([name]) => !framing.test(name)),
      body: Buffer.concat(chunks),
    });
    this.#differences.push(...differences);
    const kept = answer.headers.filter(
      ([name]) => !/^(?:connection|keep-alive|transfer-encoding)$/i.test(name),
    );
    response.writeHead(answer.status, answer.reason, kept.flat());
    response.end(answer.body);
  }
}

/** The head of a response as text, without the values that belong to one connection, the time or the gateway. */
function headOf({ status, reason, headers }: Answer, without: Iterable<string>): string {
  const left = new Set([...notCompared, ...without]);
  // The gateway drops the length that some servers give to a 204, because it must not have one (RFC 9110 section 8.6).
  if (status === 204) left.add('content-length');
  const lines = headers.filter(([name]) => !left.has(name.toLowerCase()));
  return [`${status} ${reason}`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\n');
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (left[at] === right[at]) at += 1;
  return at;
}

async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}
