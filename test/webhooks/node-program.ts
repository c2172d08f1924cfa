import { connect, type Socket } from 'node:net';
import { createLogger, loadConfiguration, startService } from '@countersign/server';
import { changingHost, type NodeSettings, nodeVariable } from './node-settings.ts';

// A node of the service with a network of the test: only this machine is ever connected to.
const { internalPort, attemptMsMax, leaseMs, retryScale, killAt } = JSON.parse(
  process.env[nodeVariable] ?? '',
) as NodeSettings;

const publicAddress = '93.184.216.34';
const changingAddresses: readonly (readonly string[])[] = [
  [publicAddress],
  ['10.0.0.1'],
  [publicAddress, '127.0.0.1'],
  ['::ffff:10.0.0.1'],
  ['169.254.169.254'],
  [],
];
let lookups = 0;
let countdown = killAt?.count ?? 0;
let isArmed = false;
process.on('SIGUSR2', () => (isArmed = true));

function at(step: string): void {
  if (!isArmed || killAt?.step !== step) return;
  countdown -= 1;
  if (countdown === 0) process.kill(process.pid, 'SIGKILL');
}

function openSocket({ address, port }: { readonly address: string; readonly port: number }): Socket {
  at('after the claim');
  // Port 1: nothing listens there.
  const isReceiver = address === '127.0.0.1' && port !== internalPort;
  const socket = connect({
    host: '127.0.0.1',
    port: isReceiver ? port : address === publicAddress ? 1 : internalPort,
  });
  socket.once('connect', () => at('after connecting'));
  socket.once('data', () => at('after the answer'));
  socket.once('close', () => {
    at('before the record');
    setTimeout(() => at('during the record'), Math.random() * 4);
    setTimeout(() => at('after the record'), 40);
  });
  return socket;
}

const configuration = loadConfiguration(process.env);
const service = await startService(configuration, createLogger('error', ''), {
  passwordCost: { memory: 64, passes: 1, parallelism: 1 },
  hasReportThread: false,
  webhooksEveryMs: 200,
  webhooks: {
    leaseMs,
    retryScale,
    deadline: (ms) => AbortSignal.timeout(Math.min(ms, attemptMsMax)),
    means: {
      openSocket,
      resolve: async (hostname) =>
        hostname === changingHost ? changingAddresses[lookups++ % changingAddresses.length]! : [],
    },
  },
});
process.stdout.write(`It listens on ${service.address}, for a test.\n`);
process.once('SIGTERM', () => void service.stop());
