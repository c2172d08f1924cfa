/** `waiting`, and the ways in which a pending change can end. */
export const pendingChangeStatuses = [
  'waiting',
  'approved',
  'rejected',
  'withdrawn',
  'expired',
  'failed',
] as const;

export type PendingChangeStatus = (typeof pendingChangeStatuses)[number];
