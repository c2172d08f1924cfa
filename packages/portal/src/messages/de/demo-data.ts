import { plural } from './plural.ts';

export const demoData = {
  banner: 'Dieses Konto enthält Demodaten',
  bannerShort: 'Demodaten',
  dismiss: 'Auf diesem Gerät ausblenden',
  text: 'Acht Clients und ihre Anfragen der letzten 30 Tage sind Beispieldaten.',
  remove: 'Demodaten entfernen',
  title: 'Demodaten entfernen?',
  what: (clients: number, requests: number): string =>
    `${plural(clients, 'Demo-Client', 'Demo-Clients')} und ${plural(requests, 'Anfrage', 'Anfragen')} werden entfernt, ebenso die zugehörigen Schlüssel, Teammitglieder und Einträge im Audit-Log.`,
  stays:
    'Ihre eigenen Clients, Anfragen und Änderungen bleiben erhalten. Was Sie an Demo-Clients geändert haben, wird mit entfernt. Das lässt sich nicht rückgängig machen.',
  done: 'Die Demodaten wurden entfernt',
} as const;
