import { createPrivateKey } from 'node:crypto';
import { createSigner, type Signer } from '@countersign/signature/node';
import { publishedKeyPair, type RunningService } from '@countersign/testing/running-service';

/** A clock that is set by hand, and only forward, as the replay guard expects. */
export interface SetClock {
  nowMs: number;
}

/** An account that has been in use for a while. */
export interface LivedIn {
  readonly accountId: string;
  readonly clientIds: readonly string[];
  /** Sends a request of the first client at the current time. */
  call(options?: { readonly isForged?: boolean }): Promise<number>;
  /** A request of the first client as its program would print it, signed for a URL other than the called one. */
  readonly mistaken: string;
}

const dayMs = 86_400_000;

interface Caller {
  readonly name: string;
  readonly keys: Parameters<typeof publishedKeyPair>[0];
  readonly network: readonly { readonly entry: string; readonly label?: string }[];
  readonly roles: readonly string[];
  readonly address: string;
  /** Requests on a usual day. */
  readonly perDay: number;
  /** The number of failures per hundred requests, by cause. */
  readonly failures: number;
  readonly mistake: 'body' | 'network' | 'clock';
}

const callers: readonly Caller[] = [
  {
    name: 'Payment service',
    keys: 'rsa-2048-a',
    network: [
      { entry: '198.51.100.0/28', label: 'Frankfurt' },
      { entry: '203.0.113.17', label: 'Failover' },
      { entry: '2001:db8:40::/48', label: 'IPv6' },
    ],
    roles: ['payments-operator'],
    address: '198.51.100.7',
    perDay: 26,
    failures: 3,
    mistake: 'body',
  },
  {
    name: 'Reconciliation job',
    keys: 'rsa-3072-a',
    network: [{ entry: '198.51.100.64/27', label: 'Batch hosts' }],
    roles: ['payments-reader'],
    address: '198.51.100.71',
    perDay: 12,
    failures: 12,
    mistake: 'network',
  },
  {
    name: 'Treasury dashboard',
    keys: 'rsa-2048-b',
    network: [{ entry: '0.0.0.0', label: '' }],
    roles: ['payments-reader', 'auditor'],
    address: '192.0.2.44',
    perDay: 7,
    failures: 10,
    mistake: 'clock',
  },
];

/**
 * Simulates the use of an account for some days: clients sign and send real requests, some of which fail, as
 * the clock advances.
 *
 * @param running a service whose clock is `clock`, that trusts X-Forwarded-For of this machine and shows its base URL
 * @param clock starts at their beginning, and ends near `endMs`
 */
export async function live(
  running: RunningService,
  origin: string,
  clock: SetClock,
  endMs: number,
): Promise<LivedIn> {
  const members: { readonly caller: Caller; readonly clientId: string; readonly signer: Signer }[] = [];
  let accountId = '';
  await running.change(async (registry) => {
    ({ accountId } = await registry.addAccount('Northwind Payments'));
    for (const caller of callers) {
      const { publicKey, privateKey } = publishedKeyPair(caller.keys);
      const { name, network, roles } = caller;
      const { clientId } = await registry.addClient({ accountId, name, publicKey, network, roles });
      const signer = createSigner({
        keyid: clientId,
        privateKey: createPrivateKey(privateKey),
        nowMs: () => clock.nowMs,
      });
      members.push({ caller, clientId, signer });
    }
  });
  let count = 0;
  while (clock.nowMs + dayMs / 24 < endMs) {
    for (const { caller, signer } of members) {
      const isWeekend = [0, 6].includes(new Date(clock.nowMs).getUTCDay());
      // Three times a day; the last hours have more, so that the chart of a day shows something.
      const isRecent = endMs - clock.nowMs < dayMs;
      const times = Math.ceil((caller.perDay * (isWeekend ? 0.4 : 1) * wave(count)) / (isRecent ? 9 : 3));
      for (let time = 0; time < times; time += 1) {
        count += 1;
        clock.nowMs += 1_000;
        const fails = (count * 37) % 100 < caller.failures;
        const mistake = fails ? caller.mistake : undefined;
        await callOnce(origin, caller, signer, { count, nowMs: clock.nowMs, mistake });
      }
    }
    clock.nowMs += endMs - clock.nowMs < dayMs ? dayMs / 24 : dayMs / 3;
  }
  const [first] = members;
  return {
    accountId,
    clientIds: members.map(({ clientId }) => clientId),
    mistaken: mistakenRequest(first!.signer, origin),
    call({ isForged = false } = {}) {
      count += 1;
      const mistake = isForged ? 'body' : undefined;
      return callOnce(origin, first!.caller, first!.signer, { count, nowMs: clock.nowMs, mistake });
    },
  };
}

/** Pseudo-random between 0.7 and 1.3, the same on every run. */
function wave(count: number): number {
  return 1 + 0.3 * Math.sin(count * 12.9898);
}

async function callOnce(
  origin: string,
  { address, roles }: Caller,
  signer: Signer,
  { count, nowMs, mistake }: { count: number; nowMs: number; mistake: Caller['mistake'] | undefined },
): Promise<number> {
  const writes = roles.includes('payments-operator');
  const order = JSON.stringify({ amount: 1000 + count, currency: 'EUR', reference: `invoice-${count}` });
  const request = {
    method: writes ? 'POST' : 'GET',
    url: `${origin}/v1/payments${writes ? '' : `?limit=${1 + (count % 100)}`}`,
    ...(writes && { body: order }),
  };
  const late = { created: Math.floor(nowMs / 1000) - 900 - count };
  const { method, url, headers } = signer.sign(request, mistake === 'clock' ? late : {});
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      'X-Forwarded-For': mistake === 'network' ? '192.0.2.200' : address,
      ...(writes && { 'Content-Type': 'application/json' }),
    },
    // Like a framework that serialises the JSON again after signing.
    ...(writes && { body: mistake === 'body' ? JSON.stringify(JSON.parse(order), undefined, 2) : order }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Re-encodes the query after signing, as many HTTP clients do. */
function mistakenRequest(signer: Signer, origin: string): string {
  const { headers } = signer.sign({ method: 'GET', url: `${origin}/v1/payments?reference=invoice-7/a` });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { host } = new URL(origin);
  return ['GET /v1/payments?reference=invoice-7%2Fa HTTP/1.1', `Host: ${host}`, ...fields, '', ''].join('\n');
}
