export const clientDirectory = {
  title: 'Directory of keys',
  description:
    'The keys of this client come from a directory that it publishes. To change them, change the directory.',
  url: 'URL',
  lastAttempt: 'Last fetch',
  lastSuccess: 'Last success',
  nextAttempt: 'Next fetch',
  refresh: 'Fetch now',
  refreshed: 'The directory is fetched within seconds.',
  problem: 'Problem',
  keys: 'Usable keys',
  skipped: 'Skipped entries',
  notYet: 'Not yet',
  skippedEntries: (skipped: Readonly<Record<string, number>>): string =>
    Object.entries(skipped)
      .map(([reason, count]) => `${reason.replaceAll('_', ' ')} (${count})`)
      .join(', '),
};
