/** The moments at which a node is killed with SIGKILL. The node does it itself at those that only it knows. A short run takes the first. */
export const killSteps = {
  'after the commit': 'outside',
  'after sending': 'outside',
  'before the record': 'node',
  'after the claim': 'node',
  'after the answer': 'node',
  'during the record': 'node',
  'after the record': 'node',
  'after connecting': 'node',
  'while the API changes something': 'outside',
} as const satisfies Readonly<Record<string, 'node' | 'outside'>>;

export type KillStep = keyof typeof killSteps;
