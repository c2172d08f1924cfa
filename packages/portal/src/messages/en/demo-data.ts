import { plural } from './plural.ts';

export const demoData = {
  banner: 'This account contains demo data',
  text: 'Eight clients and their last 30 days are made up. Nobody sent these requests.',
  remove: 'Remove demo data',
  title: 'Remove the demo data?',
  what: (clients: number, requests: number): string =>
    `${plural(clients, 'demo client', 'demo clients')} and ${plural(requests, 'request', 'requests')} will be removed, with the keys, team members and audit events that came with them.`,
  stays:
    'Your own clients, requests and changes stay. Changes you made to demo clients are removed with them. This cannot be undone.',
  done: 'The demo data was removed',
} as const;
