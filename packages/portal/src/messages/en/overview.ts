import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

/** Formats a change: `+4`, `−4` or `±0`. */
function signed(value: number): string {
  if (value === 0) return '±0';
  return value > 0 ? `+${formatNumber(value)}` : `−${formatNumber(-value)}`;
}

export const overview = {
  title: pageTitles.overview,
  welcome: (name: string): string => `Welcome, ${name}`,
  addClient: 'Add client',
  checklist: {
    title: 'Get started',
    description: 'Steps to a secure, working integration. They complete automatically.',
    progress: (done: number, of: number): string => `${formatNumber(done)} of ${formatNumber(of)} done`,
    done: 'done',
    open: 'to do',
    signIn: 'Secure your sign-in',
    signInText: 'A second factor or a passkey keeps others out even if they know your password.',
    signInAction: 'Secure sign-in',
    client: 'Add a client',
    clientText:
      'A client is an application that calls the API. It has a name, a public key and the addresses it calls from.',
    clientAction: 'Add client',
    request: 'Send the first signed request',
    requestText: 'Copy a ready-made example and run it. This step then completes within a second.',
    requestAction: 'See the examples',
    requestWaiting: 'Waiting for the first request',
    network: 'Restrict the network',
    networkText:
      'Let each client call only from its own addresses, so a stolen key is of little use elsewhere.',
    networkAction: 'Restrict network',
    rotation: 'Rotate a key once',
    rotationText: 'Practice before you need it. Both keys work during the overlap, so nothing is rejected.',
    rotationAction: 'Rotate key',
    justDone: (what: string): string => `Done: ${what}`,
    next: 'Next:',
    showAll: 'Show all steps',
    hide: 'Show the next step only',
    dismiss: 'Dismiss',
  },
  figures: {
    requests: 'Requests',
    successRate: 'Success rate',
    rejected: 'Rejected',
    time: { p50Ms: 'Own time, p50', p95Ms: 'Own time, p95' },
    keysDue: 'Keys due for rotation',
    noneDue: 'None is due',
    overdue: (count: number): string => `${formatNumber(count)} overdue`,
    atLeast: (count: number): string => `${formatNumber(count)}+`,
    noneBefore: 'None in the period before',
    change: (percent: number): string => `${signed(percent)}% against the period before`,
    points: (points: number): string => `${signed(points)} points against the period before`,
  },
  traffic: {
    title: 'Requests',
    chart: (range: string): string => `Requests in the last ${range}`,
    open: 'Open in Logs',
  },
  attention: {
    title: 'Keys that need attention',
    overdue: 'Overdue',
    due: 'Due soon',
    age: (days: number): string => `${plural(days, 'day', 'days')} old`,
    rotate: 'Rotate',
    rotateOf: (name: string): string => `Rotate ${name}’s key`,
    more: 'Show all',
  },
  refused: {
    title: 'Addresses to check',
    description:
      'Correctly signed requests in the last 7 days from addresses that are not on the client’s network whitelist',
    none: 'No signed requests came from other addresses.',
  },
  failures: {
    title: 'Latest failures',
    none: (range: string): string => `No requests failed in the last ${range}.`,
    open: 'All rejected requests',
  },
  audit: {
    title: 'Latest changes',
    none: 'Nothing has been changed yet.',
    open: 'Audit log',
  },
  quiet: {
    title: 'Nothing to show for your role',
    text: 'Your role can’t see clients or requests.',
  },
  operator: {
    health: 'System health',
    healthOpen: 'Details',
    ready: 'The service is ready',
    notReady: 'The service is not ready',
    version: 'Version',
    running: 'Running since',
    database: 'Database',
    guard: 'Replay guard',
    clients: 'Clients in memory',
    mail: 'Email',
    requestLog: 'Request log',
    databases: { sqlite: 'SQLite', postgresql: 'PostgreSQL' },
    guards: { memory: 'In memory, this node only', redis: 'Redis', postgres: 'PostgreSQL' },
    mails: { smtp: 'SMTP', folder: 'Written to a folder' },
    kept: 'Complete',
    dropped: (count: number): string => `${plural(count, 'request', 'requests')} dropped since start`,
    accounts: 'Customer accounts',
    accountsOpen: 'All accounts',
    noAccounts: 'There are no customer accounts yet.',
    created: 'Created',
    secureTitle: 'Your account can act for every customer',
    secureText: 'Secure your sign-in with a second factor or a passkey before you continue.',
    secure: 'Secure sign-in',
  },
} as const;
