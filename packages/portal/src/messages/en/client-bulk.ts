import type { BulkAction } from '@countersign/contract';
import { formatNumber, plural } from './plural.ts';

const clients = (count: number): string => plural(count, 'client', 'clients');

/** Changes of many clients at once. */
export const clientBulk = {
  region: 'Selected clients',
  selected: (count: number): string => `${clients(count)} selected`,
  allSelected: (total: number | undefined): string =>
    total === undefined
      ? 'All matching clients are selected'
      : `All ${formatNumber(total)} matching clients are selected`,
  selectAll: (total: number | undefined): string =>
    total === undefined
      ? 'Select all matching clients'
      : `Select all ${formatNumber(total)} matching clients`,
  tooMany: (max: number): string => `You can change at most ${clients(max)} at once. Narrow the filters.`,
  clear: 'Clear selection',
  change: 'Change…',
  actions: {
    enable: 'Enable',
    disable: 'Disable',
    add_tags: 'Add tags',
    remove_tags: 'Remove tags',
    add_roles: 'Assign roles',
    remove_roles: 'Remove roles',
    add_network_entry: 'Add a network entry',
    remove_network_entry: 'Remove a network entry',
  } satisfies Record<BulkAction, string>,
  titles: {
    enable: (count: string): string => `Enable ${count}`,
    disable: (count: string): string => `Disable ${count}`,
    add_tags: (count: string): string => `Add tags to ${count}`,
    remove_tags: (count: string): string => `Remove tags from ${count}`,
    add_roles: (count: string): string => `Assign roles to ${count}`,
    remove_roles: (count: string): string => `Remove roles from ${count}`,
    add_network_entry: (count: string): string => `Add a network entry to ${count}`,
    remove_network_entry: (count: string): string => `Remove a network entry from ${count}`,
  } satisfies Record<BulkAction, (count: string) => string>,
  clients,
  allThatMatch: 'all matching clients',
  tags: 'Tags',
  tagsHint: 'Press Enter after each tag. Lower-case letters and digits, with - _ . : or / between them.',
  roles: 'Roles',
  entry: 'Address or network',
  entryHint: 'Such as 203.0.113.7 or 203.0.113.0/24.',
  label: 'Label',
  labelHint: 'Optional: whose address it is.',
  missing: {
    tags: 'Enter at least one tag.',
    tagsWrong: 'Use lower-case letters and digits, with single - _ . : or / between them.',
    roles: 'Choose at least one role.',
    entry: 'Enter an address or a network.',
  },
  preview: 'Preview',
  wouldChange: (count: number): string => `${clients(count)} will change.`,
  isUnchanged: (count: number): string => `${clients(count)} ${count === 1 ? 'needs' : 'need'} no change.`,
  wouldFail: (count: number): string => `${clients(count)} can’t be changed:`,
  nothing: 'Nothing will change.',
  disableWarning: 'Their requests will be rejected until you enable them again.',
  showChanged: (count: number): string => `Show the ${clients(count)}`,
  back: 'Back',
  apply: (count: number): string => `Change ${clients(count)}`,
  changed: (count: number): string => `${clients(count)} changed.`,
  failed: (count: number): string => `${clients(count)} could not be changed:`,
  undo: 'Undo',
  undone: (count: number): string => `${clients(count)} changed back.`,
  close: 'Done',
  unknownClient: 'Unknown client',
} as const;
