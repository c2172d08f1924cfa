import type { KeyObject } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type {
  AnsweredRequest,
  ConnectionFigures,
  ConnectionLimits,
  ListenerLimits,
  RequestRecord,
  SharedGuardMemory,
  SharedGuardPolicy,
  Unparsable,
} from '@countersign/gate';
import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { Refusal } from '@countersign/signature/node';
import type { SignatureRules } from '@countersign/signature/profile';
import { keySettings } from '../configuration/key-policy.ts';
import type { Configuration } from '../configuration/load.ts';
import type { Health } from '../health/health.ts';
import type { ClientParts } from '../registry/memory-client.ts';
import type { AccountRules } from '../registry/store/account-rules.ts';

/** The settings that a thread needs. */
export type ThreadConfiguration = Pick<Configuration, (typeof threadSettings)[number]>;

export const threadSettings = [
  'host',
  'apiBaseUrls',
  'corsOrigins',
  'corsPreflights',
  'trustedProxies',
  'problemTypeBase',
  'bodyBytesMax',
  'bodyMemoryBytesMax',
  'spoolFolder',
  'spoolBytesMax',
  'dataFolder',
  'clientRequestsPerMinuteMax',
  'clientRequestsBurstMax',
  'addressFailuresPerMinuteMax',
  'overloadFailuresPerMinuteMax',
  ...keySettings,
  'profiles',
  'stopSecondsMax',
  'threads',
] as const satisfies readonly (keyof Configuration)[];

/** Everything that a thread starts with. */
export interface ThreadStart {
  /** Counts from 1; the main thread is 0. */
  readonly thread: number;
  readonly port: number;
  readonly configuration: ThreadConfiguration;
  readonly rules: SignatureRules;
  readonly guard: { readonly memory: SharedGuardMemory; readonly policy: SharedGuardPolicy };
  readonly state: SharedState;
  readonly limits: SharedLimits;
  readonly connections: ConnectionLimits;
  readonly listener: ListenerLimits;
  /** Changes of the registry. Read without the event loop, before each decision. */
  readonly registry: MessagePort;
  /** The wall clock, in milliseconds; undefined to use the machine's. */
  readonly clock: BigInt64Array | undefined;
}

/** Memory that the main thread writes and the others read. */
export interface SharedState {
  /** Indexed by `stateWords`. */
  readonly words: Int32Array;
  /** The bytes of bodies that each thread has on disk, by its number. */
  readonly spooledBytes: BigInt64Array;
  /**
   * When the last successful check of storage began, in microseconds of the monotonic clock that all threads
   * share.
   */
  readonly freshSince: BigInt64Array;
}

export const stateWords = {
  /** The number of registry changes that were posted. */
  registryVersion: 0,
  /** 1 while the registry is still being read. */
  isReading: 1,
  /** The stage of a stop, from `stageNumbers`. */
  stage: 2,
} as const;

/** The stages of a stop, in order. */
export const stageNumbers = { serving: 0, leaving: 1, draining: 2, stopping: 3 } as const;

/** The cells of the rate limits. */
export interface SharedLimits {
  readonly clients: SharedArrayBuffer;
  readonly addresses: SharedArrayBuffer;
  readonly secret: Uint32Array;
}

/** A client, as the main thread sends it. */
export interface SentClient {
  readonly parts: ClientParts;
  readonly roleIds: readonly string[];
  readonly roleNames: readonly string[];
  readonly permissions: readonly string[];
  readonly rules: AccountRules;
}

/** A change of the registry. */
export interface RegistryChanges {
  readonly version: number;
  /** True if it replaces everything before. */
  readonly isAll: boolean;
  readonly clients: readonly SentClient[];
  readonly removed: readonly string[];
}

/** A request that has its response. The receiver looks up the sender again. */
export interface SentRecord {
  readonly record: RequestRecord;
  readonly request: Omit<AnsweredRequest, 'sender'>;
  readonly keyId: string | undefined;
}

/** A key that signs forwarded requests and responses. */
export interface SentForwardingKey {
  readonly keyid: string;
  readonly privateKey: KeyObject;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** A thread's part of the metrics. */
export interface ThreadFigures {
  readonly upstreams: readonly UpstreamFigures[];
  readonly connections: ConnectionFigures;
}

/** Messages from a thread to the main thread. Those with a `call` get a response. */
export type FromThread =
  | { readonly kind: 'listening' }
  | { readonly kind: 'reserve'; readonly call: number; readonly created: number; readonly nowSeconds: number }
  | { readonly kind: 'read'; readonly call: number; readonly clientId: string }
  | { readonly kind: 'refresh'; readonly call: number }
  | {
      readonly kind: 'happened';
      readonly records: readonly SentRecord[];
      readonly unparsable: readonly Unparsable[];
      readonly handled: readonly (readonly [durationMs: number, upstream: string])[];
      readonly dropped: number;
      /** The addresses of connections that were turned away. */
      readonly turnedAway: readonly string[];
      readonly figures: ThreadFigures;
    }
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      readonly requestId: string;
      readonly message: string;
    };

/** Messages from the main thread. */
export type ToThread =
  | {
      readonly kind: 'response';
      readonly call: number;
      readonly refusal?: Refusal | undefined;
      readonly isDone?: boolean;
    }
  | { readonly kind: 'taken' }
  | { readonly kind: 'routing'; readonly routing: NonNullable<Configuration['routing']> }
  | { readonly kind: 'forwarding keys'; readonly keys: readonly SentForwardingKey[] }
  | { readonly kind: 'health'; readonly health: Health }
  | { readonly kind: 'listen' }
  | { readonly kind: 'refuse connections' }
  | { readonly kind: 'stop' };
