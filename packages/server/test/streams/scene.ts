import type { Backend } from '@countersign/testing/backend';
import { waitUntil } from '@countersign/testing/wait-until';
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
  const on: StreamScene = {
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
  await settle(on);
  return on;
}

/** Starts every stream, then makes the first request, so that nothing happens by itself afterwards. */
async function settle(on: StreamScene): Promise<void> {
  const { scene } = on;
  const database = await scene.database();
  const expected = scene.running.service.configuration.streams.flatMap(({ sources }) => sources).length;
  // Another thread or node may be writing at the moment at which a stream would begin.
  await waitUntil(async () => {
    await on.send();
    return (await database.selectFrom('stream_cursors').select('stream').execute()).length === expected;
  }, 'every stream has begun');
  await on.addClient();
  // It is recorded after the response.
  await waitUntil(async () => {
    const query = database.selectFrom('audit_events').select('event_id');
    return (await query.where('action', '=', 'key.activated').execute()).length > 0;
  }, "the administrator's key is active");
  await on.send();
}
