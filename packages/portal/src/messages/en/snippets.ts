export const snippets = {
  languages: 'Programming language',
  privateKeyFile: 'Private key file',
  privateKeyFileHint:
    'The file you saved when you generated the key here. Change this if your file has a different name.',
  way: 'How to sign',
  withPackage: 'With the package',
  withoutPackage: 'Without a package',
  aboutPackage: 'The package also signs retries, corrects the clock and turns rejections into errors.',
  aboutNoPackage: 'Signs two requests with nothing to install. Use the package in production.',
  guide: (language: string): string => `Guide for ${language}`,
  install: 'Install the package',
  installHint:
    'The packages aren’t on public registries yet. Set repository to the folder of your copy of Countersign.',
  installCommands: (language: string): string => `${language} installation commands`,
  save: (file: string): string => `Save as ${file}`,
  saveHint: (file: string): string => `Copy ${file} to the folder in which you run it.`,
  download: 'Download',
  code: (language: string): string => `${language} example`,
  copyCode: (language: string): string => `${language} example`,
  run: 'Run it',
  runCommand: 'command to run the example',
} as const;
