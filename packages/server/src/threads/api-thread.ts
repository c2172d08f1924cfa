import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { NetworkWhitelist } from '@countersign/contract';
import {
  attach,
  BaseUrls,
  createGate,
  createGateway,
  createLimits,
  ConnectionBudget,
  createListener,
  createUpgradeCheck,
  monotonicMsOfProcess,
  SharedReplayGuard,
  Spool,
} from '@countersign/gate';
import { Upstream } from '@countersign/gate/upstream';
import { overloadFrom, trustedPeers } from '../limits/connections.ts';
import { otherProfilesOf } from '../configuration/accepted-profiles.ts';
import { keyPolicyOf } from '../configuration/key-policy.ts';
import { longestSignature } from '@countersign/signature/node';
import { crossOriginOf } from '../configuration/cross-origin-settings.ts';
import { Listening } from '../lifecycle/listening.ts';
import { freeYoungBuffers } from '../lifecycle/young-buffers.ts';
import { foreignHealth, type Health } from '../health/health.ts';
import { LiveRouting } from '../routing/live-routing.ts';
import { EventLoopLoad } from '../telemetry/event-loop-load.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { MainThread } from './main-thread.ts';
import { ReceivedForwardingKeys } from './received-forwarding-keys.ts';
import { RecordRelay } from './record-relay.ts';
import { stageNumbers, stateWords, type ThreadStart, type ToThread } from './thread-messages.ts';
import { ThreadRegistry } from './thread-registry.ts';
import { limitTables } from './thread-sharing.ts';

/* A thread that serves the protected API, with the replay guard, the limits and the registry of the main thread. */

const {
  configuration,
  rules,
  guard: shared,
  state,
  limits,
  registry: port,
  ...start
} = workerData as ThreadStart;
freeYoungBuffers();
const main = new MainThread(parentPort!);
const { clock } = start;
const nowMs = clock ? () => Number(Atomics.load(clock, 0)) : Date.now;
const monotonicMs = monotonicMsOfProcess;
const routing = new LiveRouting({ Upstream }, monotonicMs);
const signer = new ReceivedForwardingKeys(nowMs);
const relay = new RecordRelay(main, () => ({
  upstreams: routing.figures(),
  connections: connections.figures,
}));
const load = new EventLoopLoad();
const connections = new ConnectionBudget({
  ...start.connections,
  overload: overloadFrom(configuration, load),
  monotonicMs,
  onTurnedAway: (sourceAddress) => relay.turnedAway(sourceAddress),
});
const registry = new ThreadRegistry(state, port, main, nowMs);
setInterval(() => {
  // Changes must be received and figures sent even while no requests arrive.
  registry.isFresh();
  relay.sendFigures();
}, 1000).unref();
const guard = new SharedReplayGuard(
  {
    memory: shared.memory,
    thread: start.thread,
    reserve: (created, nowSeconds) => main.reserve(created, nowSeconds),
  },
  shared.policy,
);
const server = createListener(start.listener);
let listening: Listening | undefined;
let healthOfNode: Health = { ready: true, decides: true };

parentPort!.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'response':
      return main.received(message);
    case 'taken':
      return relay.taken();
    case 'routing':
      return routing.use(message.routing, configuration.apiBaseUrls);
    case 'forwarding keys':
      return signer.use(message.keys);
    case 'health':
      healthOfNode = message.health;
      return undefined;
    case 'listen':
      return void listen();
    case 'refuse connections':
      return void listening?.refuse();
    case 'stop':
      return void stop();
  }
});

async function listen(): Promise<void> {
  const { proxies } = trustedPeers({ ...configuration, authorizers: {} });
  connections.limit(server, (address) => proxies.allows(address));
  attachGate();
  const { host } = configuration;
  const onError = (error: Error): void => relay.failed(error, '', 'a connection could not be accepted');
  listening = await Listening.open(server, { host, port: start.port, isShared: true, onError });
  main.send({ kind: 'listening' });
}

function attachGate(): void {
  const { apiBaseUrls, problemTypeBase, bodyBytesMax, bodyMemoryBytesMax } = configuration;
  const trustedProxies = NetworkWhitelist.fromTexts(configuration.trustedProxies);
  const clients = {
    registry,
    guard,
    rules,
    signatureBytesMax: longestSignature(keyPolicyOf(configuration)),
    otherProfiles: otherProfilesOf(configuration.profiles),
  };
  const crossOrigin = crossOriginOf(configuration);
  const baseUrls = new BaseUrls(
    apiBaseUrls.map((baseUrl) => ({
      baseUrls: [baseUrl],
      door: createGateway({
        clients,
        crossOrigin,
        routing: () => routing.of(baseUrl),
        signer,
        onAnswered: (durationMs, upstream) => relay.handled(durationMs, upstream),
      }),
    })),
  );
  const spool = new Spool({
    folder: configuration.spoolFolder ?? join(configuration.dataFolder, 'spool'),
    bytesMax: configuration.spoolBytesMax,
    shared: { usedBytes: state.spooledBytes, thread: start.thread },
  });
  attach(server, {
    onRequest: createGate({
      baseUrls,
      answerForeign: (head) => foreignHealth(head, health),
      trustedProxies,
      bodyBytesMax,
      spooling: { spool, memoryBytesMax: bodyMemoryBytesMax },
      ...createLimits(
        configuration,
        trustedProxies,
        monotonicMs,
        undefined,
        limitTables(limits, monotonicMs),
      ),
      observer: relay,
      tracing: openTracing(),
      problemTypeBase,
      nowMs,
      isStopping: () => stage() >= stageNumbers.stopping,
      isDraining: () => stage() >= stageNumbers.draining,
    }),
    onUnparsable: relay.unparsable,
    mayUpgrade: createUpgradeCheck(baseUrls),
    problemTypeBase,
  });
}

function stage(): number {
  return Atomics.load(state.words, stateWords.stage);
}

function health(): Health {
  if (stage() >= stageNumbers.leaving)
    return { ready: false, decides: false, reason: 'the service is stopping' };
  if (!healthOfNode.ready || registry.isFresh()) return healthOfNode;
  return { ready: false, decides: false, reason: 'the registry is out of date' };
}

/** Lets requests in progress finish, sends the remaining records, and ends. */
async function stop(): Promise<void> {
  await listening?.end(configuration.stopSecondsMax * 1000);
  connections.close();
  load.close();
  await routing.close();
  await relay.close();
  parentPort!.close();
  port.close();
}
