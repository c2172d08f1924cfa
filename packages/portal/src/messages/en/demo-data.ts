import { plural } from './plural.ts';

export const demoData = {
  banner: 'This account contains demo data',
  bannerShort: 'Demo data',
  dismiss: 'Hide on this device',
  text: 'Eight clients and their requests of the last 30 days are sample data.',
  remove: 'Remove demo data',
  title: 'Remove the demo data?',
  what: (clients: number, requests: number): string =>
    `${plural(clients, 'demo client', 'demo clients')} and ${plural(requests, 'request', 'requests')} will be removed, with the keys, team members and audit events that came with them.`,
  stays:
    'Your own clients, requests and changes stay. Changes you made to demo clients are removed too. This can’t be undone.',
  done: 'The demo data was removed',
} as const;
