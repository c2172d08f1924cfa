/** One process of strangers: it holds idle connections, and sends forged requests. `strangers.ts` forks it. */
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForgedConnection, forgedRequest, type ForgedSender } from './forged-requests.ts';

/** The work of one process. */
export interface StrangerTask extends ForgedSender {
  readonly port: number;
  /** The addresses of this machine that it uses, in turn. */
  readonly localAddresses: readonly string[];
  readonly idleCount: number;
  /** The number of ended connections to reopen per second. */
  readonly reopenedPerSecond: number;
  readonly forgedPerSecond: number;
}

/** The results so far. */
export interface StrangerFigures {
  /** Idle connections that are open now. */
  readonly idleCount: number;
  /** Idle connections that were opened, including replacements of ended ones. */
  readonly openedCount: number;
  readonly sentCount: number;
  readonly answeredByStatus: Readonly<Record<string, number>>;
}

const task = JSON.parse(process.argv[2]!) as StrangerTask;
const { port, localAddresses } = task;
const answeredByStatus: Record<string, number> = {};
let openedCount = 0;
let sentCount = 0;
let next = 0;
const idle = new Set<Socket>();

// Real strangers have their own machines: here they must not take processor time from the service.
setPriority(constants.priority.PRIORITY_LOW);
process.on('message', () => process.send?.(figures()));
process.on('disconnect', () => process.exit(0));
void holdIdle();
void sendForged();

function figures(): StrangerFigures {
  return { idleCount: idle.size, openedCount, sentCount, answeredByStatus };
}

function open(): Socket {
  const localAddress = localAddresses[(next += 1) % localAddresses.length]!;
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  // Strangers ignore that they are disconnected.
  socket.on('error', () => undefined);
  return socket;
}

/** Opens connections that send nothing, then reopens the ones that the service ends, at a steady rate. */
async function holdIdle(): Promise<void> {
  while (openedCount < task.idleCount) {
    for (let count = 0; count < Math.min(50, task.idleCount - openedCount); count++) openIdle();
    await sleep(20);
  }
  await atSteadyRate(task.reopenedPerSecond, () => {
    if (idle.size < task.idleCount) openIdle();
  });
}

function openIdle(): void {
  const socket = open().resume();
  idle.add(socket);
  openedCount += 1;
  socket.once('close', () => idle.delete(socket));
}

/** Sends at a steady rate over connections that are kept for as long as the service keeps them. */
async function sendForged(): Promise<void> {
  const count = (status: string): void => {
    answeredByStatus[status] = (answeredByStatus[status] ?? 0) + 1;
  };
  const senders = Array.from(
    { length: Math.ceil(task.forgedPerSecond / 25) },
    () => new ForgedConnection(open, count),
  );
  if (senders.length === 0) return;
  await atSteadyRate(task.forgedPerSecond, (index) => {
    if (senders[index % senders.length]!.send(forgedRequest(task))) sentCount += 1;
  });
}

/** Repeats something forever at a rate, passing it the number of earlier calls. */
async function atSteadyRate(perSecond: number, work: (count: number) => void): Promise<never> {
  const startedMs = performance.now();
  for (let count = 0; ; await sleep(5)) {
    const due = ((performance.now() - startedMs) * perSecond) / 1000;
    for (; count < due; count++) work(count);
  }
}
