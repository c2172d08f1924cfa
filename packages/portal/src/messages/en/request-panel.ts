export const requestPanel = {
  previous: 'Previous request',
  next: 'Next request',
  openPage: 'Open as a page',
  close: 'Close',
} as const;
