export const snippets = {
  languages: 'Programmiersprache',
  privateKeyFile: 'Datei mit dem privaten Schlüssel',
  privateKeyFileHint:
    'Die Datei mit Ihrem privaten Schlüssel. Ändern Sie den Namen, wenn Ihre Datei anders heißt.',
  savedKeyFileHint:
    'Die Datei, die Sie gespeichert haben, als Sie den Schlüssel hier erzeugt haben. Ändern Sie den Namen, wenn Sie sie umbenannt haben.',
  way: 'So wird signiert',
  withPackage: 'Mit dem Paket',
  withoutPackage: 'Ohne Paket',
  aboutPackage:
    'Das Paket signiert auch wiederholte Anfragen, gleicht die Uhr ab und macht aus Ablehnungen Fehlerobjekte.',
  aboutNoPackage:
    'Signiert zwei Anfragen, ohne dass Sie etwas installieren. Verwenden Sie in Produktion das Paket.',
  rsaOnly: {
    title: (kind: string): string => `Dieses Programm kann den ${kind}-Schlüssel des Clients nicht verwenden`,
    withPackage:
      'Es signiert nur mit RSA-Schlüsseln. Wählen Sie eine andere Sprache oder fügen Sie einen RSA-Schlüssel hinzu.',
    withoutPackage: 'Es signiert nur mit RSA-Schlüsseln. Verwenden Sie das Paket.',
  },
  guide: (language: string): string => `Anleitung für ${language}`,
  install: 'Paket installieren',
  installHint:
    'Die Pakete liegen noch nicht in öffentlichen Paketverzeichnissen. Setzen Sie repository auf den Ordner Ihrer Kopie von Countersign.',
  installCommands: (language: string): string => `Installationsbefehle für ${language}`,
  save: (file: string): string => `Als ${file} speichern`,
  saveHint: (file: string): string =>
    `Kopieren Sie ${file} in den Ordner, in dem Sie das Programm ausführen.`,
  download: 'Herunterladen',
  code: (language: string): string => `Beispiel für ${language}`,
  copyCode: (language: string): string => `Beispiel für ${language}`,
  run: 'Ausführen',
  runCommand: 'Befehl zum Ausführen des Beispiels',
} as const;
