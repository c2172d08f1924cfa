/** The input of each action besides the clients. */
export const bulkActions = {
  enable: undefined,
  disable: undefined,
  add_tags: 'tags',
  remove_tags: 'tags',
  add_roles: 'roles',
  remove_roles: 'roles',
  add_network_entry: 'networkEntry',
  remove_network_entry: 'networkEntry',
} as const;

export type BulkAction = keyof typeof bulkActions;
