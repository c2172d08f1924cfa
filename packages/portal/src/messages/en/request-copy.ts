export const requestCopy = {
  copy: 'Copy',
  link: 'Link to this request',
  signedCommand: 'countersign command',
  curl: 'curl command',
  testCase: 'Test case (HAR)',
  notStored: 'Headers, bodies and query values are not stored.',
} as const;
