export const snippets = {
  languages: 'Programming language',
  fileName: 'Save as',
  run: 'Run',
  copyCode: (language: string): string => `${language} example`,
  copyCommand: 'command',
  download: 'Download',
  code: (language: string): string => `${language} example`,
  privateKeyFile: 'Private key file',
  privateKeyFileHint:
    'The file you saved when you generated the key here. Change this if your file has a different name.',
  key: (file: string): string =>
    `Reads the private key from ${file} in the same folder. Each run signs a GET and a POST to /v1/signature-test.`,
  guide: 'In production, use the package.',
} as const;
