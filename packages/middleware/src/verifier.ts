import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { performance } from 'node:perf_hooks';
import {
  admitClient,
  type Answer,
  BaseUrls,
  type ClientMeans,
  createGate,
  createLimits,
  type Door,
  inMemory,
  type LimitedCaller,
  type Observer,
  type ProvedClient,
  type ReceivedBody,
  type RequestHead,
} from '@countersign/gate';
import {
  type AsyncReplayGuard,
  everyKeySize,
  longestSignature,
  MemoryReplayGuard,
  type TimeWindow,
} from '@countersign/signature/node';
import { ClientReader } from './clients/client-record.ts';
import type { ClientSource } from './clients/client-source.ts';
import { LookedUpClients } from './clients/looked-up-clients.ts';
import { lendResponse } from './exchange/lent-response.ts';
import { isBodyTaken, PeekedRequest } from './exchange/peeked-request.ts';
import { type ReadOptions, readOptions, type VerifierOptions } from './verifier-options.ts';

/** A request that passed every check, and the client that proved it sent it. */
export interface SignedRequest {
  readonly clientId: string;
  /** The client's account; empty if `findClient` named none. */
  readonly accountId: string;
  readonly clientName: string;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<string>;
  readonly keyId: string;
  readonly keyFingerprint: string;
  /** The same as in the response's `Request-Id`. */
  readonly requestId: string;
  /** The URL that was signed: base URL and raw target. */
  readonly targetUri: string;
  /** The body's bytes as received. The framework's parser reads the same bytes. */
  readonly body: Buffer;
}

/** A framework's changes to a request. */
export interface FrameworkView {
  /** The original request target, if `request.url` was rewritten. */
  readonly rawTarget?: string | undefined;
  /** The body that a parser left; undefined or null if none has run. */
  readonly parsedBody?: unknown;
}

/** Checks requests before a framework sees them. */
export interface Verifier {
  /**
   * Checks a request. Resolves with the authenticated client if it passed; the caller then writes the
   * response. Resolves with undefined if the request was rejected, and its response sent, or if its
   * connection ended. Rejects with `BodyTakenError` if the body was read before, and with a TypeError for
   * HTTP/2.
   *
   * Not checked: header fields that are not signed, such as `Content-Type`, and whether a router interprets
   * the URL as it was signed.
   *
   * @param seen the framework's changes to the request so far
   */
  receive(
    request: IncomingMessage,
    response: ServerResponse,
    seen?: FrameworkView,
  ): Promise<SignedRequest | undefined>;
  /** Reports an unexpected error, such as one of a handler. */
  readonly onError: (error: unknown) => void;
}

/** The request's body was read before its signature could be checked. */
export class BodyTakenError extends Error {
  override readonly name = 'BodyTakenError';

  constructor() {
    super(
      'The body of this request was read before its signature was checked. ' +
        'Register countersign() before every body parser and anything else that reads the request.',
    );
  }
}

/**
 * Creates a verifier: the service's own checks, in its order, in front of another API. Throws a TypeError with all
 * mistakes in the options.
 *
 * @example
 * const verifier = createVerifier({ baseUrls: ['https://api.example.com'], findClient: (clientId) => clients.get(clientId) });
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const read = readOptions(options);
  const { nowMs = Date.now, monotonicMs = () => performance.now(), onError = writeError } = options;
  const sourceFor = clientSources(options, onError, { nowMs, monotonicMs });
  const { rules } = read;
  const guard = options.guard ?? memoryGuard(rules.window, nowMs);
  // The keys of a service's registry follow that service's setting.
  const signatureBytesMax = longestSignature(options.registry ? everyKeySize : options.keyPolicy);
  const limits = createLimits(read.limits, read.trustedProxies, monotonicMs, undefined);
  const handOvers = new WeakMap<readonly string[], HandOver>();
  const door = createDoor({ sourceFor, guard, rules, signatureBytesMax, read, handOvers });
  const gate = createGate({
    baseUrls: new BaseUrls([{ baseUrls: options.baseUrls, door }]),
    trustedProxies: read.trustedProxies,
    bodyBytesMax: read.bodyBytesMax,
    ...limits,
    observer: observerOf(options, onError),
    problemTypeBase: read.problemTypeBase,
    nowMs,
    isStopping: () => false,
  });
  const latest = new WeakMap<Duplex, ServerResponse>();
  return {
    onError,
    receive(request, response, { rawTarget = request.url, parsedBody } = {}) {
      if (isBodyTaken(request) || (parsedBody ?? undefined) !== undefined)
        return Promise.reject(new BodyTakenError());
      if (request.httpVersionMajor > 1) return Promise.reject(new TypeError(needsHttp1));
      return new Promise((resolve) => {
        response.once('close', () => resolve(undefined));
        // Ignore everything after a request whose response closes the connection (RFC 9112 section 9.6).
        if (latest.get(request.socket)?.shouldKeepAlive === false) return;
        latest.set(request.socket, response);
        const peeked = new PeekedRequest(request, rawTarget, () => response.headersSent) as PeekedRequest &
          IncomingMessage;
        const lent = lendResponse(response, peeked);
        handOvers.set(request.rawHeaders, (signed, limited) => {
          lent.handOver();
          const fields = { 'Request-Id': signed.requestId, ...limits.clientLimit.stateOf(limited)?.fields };
          for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
          resolve(signed);
          return answerOf(response);
        });
        gate(peeked, lent.response);
      });
    },
  };
}

const needsHttp1 =
  'countersign() needs an HTTP/1.1 server: HTTP/2 does not preserve the request target that was signed. ' +
  'Let a proxy terminate HTTP/2 and forward HTTP/1.1, with target and Host unchanged.';

/** Passes a request to the framework. Resolves with its response, for the record. */
type HandOver = (signed: SignedRequest, limited: LimitedCaller) => Promise<Answer>;

interface DoorParts {
  readonly sourceFor: () => ClientSource;
  readonly guard: AsyncReplayGuard;
  readonly rules: ClientMeans['rules'];
  readonly signatureBytesMax: number;
  readonly read: ReadOptions;
  /** Keyed by the raw headers, the one value of a request that the gate passes on unchanged. */
  readonly handOvers: WeakMap<readonly string[], HandOver>;
}

/** Creates the door in front of the framework. */
function createDoor({ sourceFor, guard, rules, signatureBytesMax, read, handOvers }: DoorParts): Door {
  return {
    find: (head) => ({
      kind: 'client',
      isFailureLimited: true,
      admit: () => {
        const requirement = { permission: read.permissionOf(head) };
        const registry = sourceFor();
        const answer = (proved: ProvedClient, body: ReceivedBody): Promise<Answer> => {
          const { client, key } = proved;
          const { requestId, source } = head;
          registry.keyUsed(client, key, { sourceAddress: source.text, requestId });
          const handOver = handOvers.get(head.rawHeaders)!;
          const limited = { countedAs: client.clientId, ownLimits: client.ownLimits };
          return handOver(signedRequest(proved, inMemory(body), head), limited);
        };
        const means = { registry, guard, rules, signatureBytesMax };
        return admitClient(head, { requirement, parameters: {}, answer }, means);
      },
    }),
  };
}

function signedRequest(
  { client, key }: ProvedClient,
  body: Uint8Array,
  { requestId, targetUri }: RequestHead,
): SignedRequest {
  return {
    clientId: client.clientId,
    accountId: client.accountId,
    clientName: client.name,
    roles: client.roles,
    permissions: client.permissions,
    keyId: key.keyId,
    keyFingerprint: key.fingerprint,
    requestId,
    targetUri,
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
  };
}

/** Resolves when the framework has responded. The status is 0 if it never did. */
async function answerOf(response: ServerResponse): Promise<Answer> {
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  return { status: response.headersSent ? response.statusCode : 0 };
}

function clientSources(
  { findClient, registry, keyPolicy = {} }: VerifierOptions,
  onError: (error: unknown) => void,
  { nowMs, monotonicMs }: Required<Pick<VerifierOptions, 'nowMs' | 'monotonicMs'>>,
): () => ClientSource {
  if (registry) return () => registry;
  const reader = new ClientReader(keyPolicy, nowMs);
  const clients = new LookedUpClients(findClient!, reader, onError, monotonicMs);
  return () => clients.source();
}

/** An earlier process may have accepted anything signed before this one started. */
function memoryGuard(window: TimeWindow, nowMs: () => number): MemoryReplayGuard {
  return new MemoryReplayGuard({ window, horizonSeconds: Math.floor(nowMs() / 1000) });
}

function observerOf({ onRequest }: VerifierOptions, onError: (error: unknown) => void): Observer {
  return {
    answered(record) {
      try {
        onRequest?.(record);
      } catch (error) {
        onError(error);
      }
    },
    // A framework's own server responds to bytes that are not a request.
    unparsable: () => undefined,
    failed: onError,
  };
}

function writeError(error: unknown): void {
  console.error(error);
}
