export const snippets = {
  languages: 'Programming language',
  fileName: 'Save as',
  run: 'Run',
  copyCode: (language: string): string => `${language} example`,
  copyCommand: 'command',
  download: 'Download',
  code: (language: string): string => `${language} example`,
  key: 'Reads the private key from private.pem in the same folder. Each run signs a GET and a POST to /v1/signature-test.',
} as const;
