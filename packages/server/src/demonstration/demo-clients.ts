import type { BuiltInRole, MemberRole } from '@countersign/contract';

/** The mistakes that demo clients make. */
export type DemoMistake =
  | 'body reformatted'
  | 'newline added'
  | 'query encoded'
  | 'other host'
  | 'ended key'
  | 'clock behind'
  | 'clock ahead'
  | 'date rewritten'
  | 'digest not signed'
  | 'other algorithm'
  | 'sent twice'
  | 'unlisted address'
  | 'no permission'
  | 'client disabled'
  | 'too many requests';

/** A kind of request that a client makes. */
export interface DemoCall {
  readonly weight: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: string;
  /** The API's usual status. */
  readonly status: number;
}

/** A problem that lasted for a while. */
export interface DemoEpisode {
  readonly mistake: DemoMistake;
  /** When it began, in days before the end of the demo data. */
  readonly daysAgo: number;
  readonly hours: number;
  /** The number of failed requests. */
  readonly count: number;
  /** The source address, if it is not one of the client's. */
  readonly address?: string;
}

/** A client's working hours: the share of each hour of a day in UTC, and of weekends. */
export interface DemoRhythm {
  readonly hours: readonly number[];
  readonly weekend: number;
}

export interface DemoClient {
  readonly name: string;
  readonly roles: readonly BuiltInRole[];
  readonly tags: readonly string[];
  readonly network: readonly { readonly entry: string; readonly label: string }[];
  readonly addresses: readonly { readonly weight: number; readonly address: string }[];
  readonly calls: readonly DemoCall[];
  /** Requests on an average weekday. */
  readonly perDay: number;
  readonly rhythm: DemoRhythm;
  /** The usual response time. */
  readonly durationMs: number;
  /** The usual difference of the client's clock. */
  readonly clockSeconds: number;
  /** Days before the end at which the client was added, and at which its keys were rotated, oldest first. */
  readonly addedDaysAgo: number;
  readonly rotatedDaysAgo: readonly number[];
  readonly episodes: readonly DemoEpisode[];
  /** The day on which a member disabled it. */
  readonly disabledDaysAgo?: number;
}

/** A member of the demo account's team. None of them can sign in. */
export interface DemoMember {
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly address: string;
}

export const demoMembers: readonly DemoMember[] = [
  { name: 'Ines Albrecht', email: 'ines.albrecht@demo.example', role: 'admin', address: '198.51.100.21' },
  { name: 'Tom Okafor', email: 'tom.okafor@demo.example', role: 'developer', address: '198.51.100.22' },
  { name: 'Priya Raman', email: 'priya.raman@demo.example', role: 'developer', address: '203.0.113.90' },
  { name: 'Marta Silva', email: 'marta.silva@demo.example', role: 'viewer', address: '198.51.100.25' },
];

const office: DemoRhythm = {
  hours: [0, 0, 0, 0, 0, 1, 4, 8, 10, 10, 9, 6, 7, 10, 10, 9, 6, 3, 1, 0.5, 0, 0, 0, 0],
  weekend: 0.08,
};
const shoppers: DemoRhythm = {
  hours: [2, 1, 0.5, 0.5, 0.5, 1, 2, 4, 5, 6, 7, 8, 8, 7, 7, 8, 9, 11, 13, 14, 13, 10, 6, 3],
  weekend: 1.35,
};
const night: DemoRhythm = {
  hours: [1, 14, 12, 2, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.2, 0.5],
  weekend: 0.9,
};
const allDay: DemoRhythm = { hours: Array.from({ length: 24 }, () => 1), weekend: 1 };

const create: DemoCall = { weight: 6, method: 'POST', path: '/v1/payments', status: 201 };
const list: DemoCall = { weight: 3, method: 'GET', path: '/v1/payments', query: 'limit=50', status: 200 };
const next: DemoCall = {
  weight: 2,
  method: 'GET',
  path: '/v1/payments',
  query: 'cursor=p2&limit=50',
  status: 200,
};
const whoami: DemoCall = { weight: 1, method: 'GET', path: '/v1/whoami', status: 200 };
const rejected: DemoCall = { weight: 0.2, method: 'POST', path: '/v1/payments', status: 400 };
const missing: DemoCall = { weight: 0.15, method: 'GET', path: '/v1/payments/payment_unknown', status: 404 };

/** Addresses are those that RFC 5737 and RFC 3849 reserve for documentation, so they have no owner. */
export const demoClients: readonly DemoClient[] = [
  {
    name: 'Web checkout',
    roles: ['payments-operator'],
    tags: ['production', 'shop'],
    network: [
      { entry: '198.51.100.32/28', label: 'Frankfurt' },
      { entry: '2001:db8:51::/48', label: 'Frankfurt, IPv6' },
    ],
    addresses: [
      { weight: 5, address: '198.51.100.33' },
      { weight: 4, address: '198.51.100.34' },
      { weight: 2, address: '2001:db8:51::7' },
    ],
    calls: [create, list, rejected],
    perDay: 74,
    rhythm: shoppers,
    durationMs: 9,
    clockSeconds: 0,
    addedDaysAgo: 29.8,
    rotatedDaysAgo: [16.3],
    episodes: [
      { mistake: 'ended key', daysAgo: 12.9, hours: 3, count: 11 },
      { mistake: 'sent twice', daysAgo: 5.4, hours: 30, count: 5 },
      { mistake: 'too many requests', daysAgo: 2.3, hours: 1, count: 9 },
    ],
  },
  {
    name: 'Mobile backend',
    roles: ['payments-operator'],
    tags: ['production', 'shop'],
    network: [{ entry: '203.0.113.64/26', label: 'Cluster west' }],
    addresses: [
      { weight: 3, address: '203.0.113.70' },
      { weight: 3, address: '203.0.113.71' },
      { weight: 2, address: '203.0.113.90' },
    ],
    calls: [create, list, whoami, missing],
    perDay: 58,
    rhythm: shoppers,
    durationMs: 12,
    clockSeconds: -1,
    addedDaysAgo: 29.6,
    rotatedDaysAgo: [9.1],
    episodes: [
      { mistake: 'unlisted address', daysAgo: 20.5, hours: 5, count: 12, address: '203.0.113.130' },
      { mistake: 'date rewritten', daysAgo: 11.6, hours: 6, count: 7 },
      { mistake: 'query encoded', daysAgo: 3.2, hours: 9, count: 8 },
    ],
  },
  {
    name: 'Fjord Logistics',
    roles: ['payments-operator'],
    tags: ['partner'],
    network: [{ entry: '192.0.2.16/29', label: 'Fjord, Oslo' }],
    addresses: [
      { weight: 4, address: '192.0.2.17' },
      { weight: 1, address: '192.0.2.18' },
    ],
    calls: [create, list, rejected, missing],
    perDay: 31,
    rhythm: office,
    durationMs: 10,
    clockSeconds: 2,
    addedDaysAgo: 27.4,
    rotatedDaysAgo: [],
    episodes: [
      { mistake: 'digest not signed', daysAgo: 27.2, hours: 3, count: 6 },
      { mistake: 'other host', daysAgo: 26.2, hours: 4, count: 5 },
      { mistake: 'body reformatted', daysAgo: 1.15, hours: 6, count: 14 },
    ],
  },
  {
    name: 'Treasury dashboard',
    roles: ['payments-reader', 'auditor'],
    tags: ['internal'],
    network: [
      { entry: '198.51.100.16/28', label: 'Head office' },
      { entry: '203.0.113.5', label: 'VPN' },
    ],
    addresses: [
      { weight: 4, address: '198.51.100.20' },
      { weight: 2, address: '203.0.113.5' },
    ],
    calls: [list, next, whoami],
    perDay: 26,
    rhythm: office,
    durationMs: 7,
    clockSeconds: 0,
    addedDaysAgo: 29.4,
    rotatedDaysAgo: [21.1],
    episodes: [
      { mistake: 'no permission', daysAgo: 14.2, hours: 2, count: 4 },
      { mistake: 'unlisted address', daysAgo: 6.2, hours: 8, count: 6, address: '192.0.2.201' },
    ],
  },
  {
    name: 'Nightly export',
    roles: ['payments-reader'],
    tags: ['batch', 'internal'],
    network: [{ entry: '198.51.100.64/28', label: 'Batch hosts' }],
    addresses: [
      { weight: 1, address: '198.51.100.66' },
      { weight: 1, address: '198.51.100.67' },
    ],
    calls: [list, { ...next, weight: 9 }],
    perDay: 36,
    rhythm: night,
    durationMs: 16,
    clockSeconds: 1,
    addedDaysAgo: 29.1,
    rotatedDaysAgo: [18.4],
    episodes: [
      { mistake: 'clock behind', daysAgo: 8.9, hours: 3, count: 13 },
      { mistake: 'query encoded', daysAgo: 22.9, hours: 2, count: 6 },
    ],
  },
  {
    name: 'Reconciliation',
    roles: ['payments-reader'],
    tags: ['batch', 'internal'],
    network: [{ entry: '203.0.113.192/28', label: 'Data centre' }],
    addresses: [{ weight: 1, address: '203.0.113.193' }],
    calls: [{ ...list, query: 'limit=100' }, next],
    perDay: 24,
    rhythm: allDay,
    durationMs: 11,
    clockSeconds: -3,
    addedDaysAgo: 28.7,
    rotatedDaysAgo: [],
    episodes: [
      { mistake: 'clock ahead', daysAgo: 17.5, hours: 5, count: 6 },
      { mistake: 'other algorithm', daysAgo: 10.3, hours: 2, count: 4 },
    ],
  },
  {
    name: 'Uptime monitor',
    roles: ['payments-reader'],
    tags: ['internal'],
    network: [
      { entry: '192.0.2.80', label: 'Probe Dublin' },
      { entry: '192.0.2.96', label: 'Probe Virginia' },
    ],
    addresses: [
      { weight: 1, address: '192.0.2.80' },
      { weight: 1, address: '192.0.2.96' },
    ],
    calls: [whoami],
    perDay: 24,
    rhythm: allDay,
    durationMs: 5,
    clockSeconds: 0,
    addedDaysAgo: 29.7,
    rotatedDaysAgo: [4.6],
    episodes: [{ mistake: 'unlisted address', daysAgo: 0.35, hours: 4, count: 5, address: '192.0.2.112' }],
  },
  {
    name: 'ERP connector (old)',
    roles: ['payments-operator'],
    tags: ['legacy'],
    network: [{ entry: '198.51.100.128/27', label: 'Warehouse' }],
    addresses: [{ weight: 1, address: '198.51.100.130' }],
    calls: [create, rejected],
    perDay: 14,
    rhythm: office,
    durationMs: 19,
    clockSeconds: 6,
    addedDaysAgo: 29.9,
    rotatedDaysAgo: [],
    episodes: [
      { mistake: 'newline added', daysAgo: 12.3, hours: 4, count: 9 },
      { mistake: 'client disabled', daysAgo: 5.9, hours: 20, count: 10 },
    ],
    disabledDaysAgo: 6.1,
  },
];
