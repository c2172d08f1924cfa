import type { Backend } from '@countersign/testing/backend';
import {
  anywhere,
  type Client,
  managementScene,
  type ManagementScene,
  type SceneOptions,
} from '../management/scene.ts';
import { openStreamReceiver, type StreamReceiver } from './receiver.ts';

/** Streams are sent only when a test says so. */
export const never = 2 ** 31 - 1;

/** A service with a stream to a receiver on this machine. */
export interface StreamScene {
  readonly scene: ManagementScene;
  readonly receiver: StreamReceiver;
  /** Ends the next attempts, as their timers would. */
  readonly timers: { expire: () => void };
  /** Makes a change: adds a client. */
  addClient(): Promise<Client>;
  /** Sends what is due after a while. */
  send(afterMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface StreamSceneOptions extends SceneOptions {
  /** Makes the settings of streams. */
  readonly streams?: (receiver: StreamReceiver) => object;
  /** Default one without TLS. */
  readonly receiver?: StreamReceiver;
}

const auditStream: NonNullable<StreamSceneOptions['streams']> = ({ origin }) => ({
  siem: { what: 'audit', to: `${origin}/audit`, from: 'oldest' },
});

export async function streamScene(
  backend: Backend,
  { streams = auditStream, receiver: given, ...options }: StreamSceneOptions = {},
): Promise<StreamScene> {
  const receiver = given ?? (await openStreamReceiver());
  let expiry = new AbortController();
  const scene = await managementScene(backend, {
    ...options,
    settings: {
      COUNTERSIGN_STREAMS: JSON.stringify(streams(receiver)),
      ...options.settings,
    },
    overrides: {
      streamsEveryMs: never,
      streams: { deadline: () => expiry.signal },
      ...options.overrides,
    },
  });
  return {
    scene,
    receiver,
    timers: {
      expire: () => {
        expiry.abort();
        expiry = new AbortController();
      },
    },
    addClient: () =>
      scene.succeed<Client>(scene.administrator, 'addClient', {
        body: { name: 'Client', networkWhitelist: anywhere },
      }),
    async send(afterMs = 0) {
      scene.clock.aheadMs += afterMs;
      await scene.running.service.sendStreams();
    },
    async close() {
      await scene.close();
      await receiver.close();
    },
  };
}
