import { formatNumber, plural } from './plural.ts';

function addresses(bits: number): string {
  if (bits === 0) return '1 Adresse';
  if (bits <= 32) return plural(2 ** bits, 'Adresse', 'Adressen');
  // IPv6 networks are counted in /64, not in addresses.
  return bits < 64 ? 'Teil eines /64-Netzes' : plural(2 ** (bits - 64), '/64-Netz', '/64-Netze');
}

export const networkEditor = {
  title: 'Netzwerk-Whitelist',
  description: 'Anfragen werden nur von diesen Adressen angenommen, auch wenn sie richtig signiert sind.',
  entry: 'Adresse oder Netz',
  entryHint: 'Zum Beispiel 203.0.113.7, 203.0.113.0/24 oder 2001:db8::/48. 0.0.0.0 erlaubt jede Adresse.',
  label: 'Bezeichnung',
  labelPlaceholder: 'Optional, z.\u00A0B. Büro',
  labelOf: (entry: string): string => `Bezeichnung für ${entry}`,
  add: 'Eintrag hinzufügen',
  canonical: (text: string, bits: number): string => `${text}, ${addresses(bits)}`,
  canonicalEveryone: (text: string): string =>
    text === '0.0.0.0'
      ? '0.0.0.0 erlaubt jede Adresse, IPv4 und IPv6'
      : `${text} erlaubt jede ${text === '::/0' ? 'IPv6' : 'IPv4'}-Adresse`,
  size: (bits: number): string => addresses(bits),
  everyone: 'Jede Adresse',
  everyoneOf: (text: string): string => {
    if (text === '0.0.0.0') return 'Jede IPv4- oder IPv6-Adresse';
    return text === '::/0' ? 'Jede IPv6-Adresse' : 'Jede IPv4-Adresse';
  },
  veryWide: 'Sehr großes Netz: Stimmt die Präfixlänge nach dem Schrägstrich?',
  special: {
    netmask:
      'Das ist eine Netzmaske, keine Adresse. Geben Sie das Netz mit seiner Präfixlänge ein, zum Beispiel 203.0.113.0/24.',
    loopback: 'Loopback: Diese Adresse haben nur Programme auf dem Rechner des Dienstes.',
    private: 'Privat: Anfragen über das Internet haben nie diese Adresse.',
    shared: 'Carrier-Grade NAT: Anfragen über das Internet haben nie diese Adresse.',
    'link-local': 'Link-local: Diese Adresse haben nur Rechner im selben Netzsegment.',
    multicast: 'Multicast: Anfragen haben nie diese Adresse.',
    documentation: 'Für Dokumentation reserviert: Echte Anfragen haben nie diese Adresse.',
    reserved: 'Reserviert: Anfragen haben nie diese Adresse.',
  },
  offers: 'Meinten Sie',
  offer: (entries: readonly string[]): string => `${entries.join(', ')} hinzufügen`,
  coveredBy: (outer: string): string => `Überflüssig, weil schon durch ${outer} erlaubt.`,
  list: 'Einträge der Whitelist',
  empty: 'Noch keine Einträge. Ohne Eintrag wird jede Anfrage dieses Clients abgelehnt.',
  portal: {
    entryHint: 'Zum Beispiel 203.0.113.7, 203.0.113.0/24 oder 2001:db8::/48.',
    list: 'Erlaubte Netze',
    empty: 'Keine Einträge: Mitglieder können dieses Konto von überall nutzen.',
    everyone:
      'Ein Eintrag, der jede Adresse erlaubt, schränkt nichts ein. Lassen Sie die Liste leer, um alles zu erlauben.',
  },
  remove: (entry: string): string => `${entry} entfernen`,
  removed: (entry: string): string => `${entry} wurde entfernt`,
  repeated: (entry: string): string => `${entry} steht schon in der Liste.`,
  everyoneNotice: {
    title: 'Der Schlüssel dieses Clients funktioniert von jeder Adresse aus',
    text: 'Ein gestohlener Schlüssel wäre damit überall verwendbar. Schränken Sie das Netzwerk ein, sobald Sie wissen, von welchen Adressen die Anfragen der Anwendung kommen.',
  },
  everyoneDialog: {
    title: 'Jede Adresse erlauben?',
    text: (entries: string): string =>
      `Mit ${entries} steht der Client dem ganzen Internet offen, ein gestohlener Schlüssel wäre also überall verwendbar. Wählen Sie das nur für Anwendungen ohne feste Adresse oder für einen ersten Test.`,
    confirm: 'Jede Adresse erlauben',
  },
  tools: {
    browser: 'Adresse dieses Browsers hinzufügen',
    browserOf: (address: string): string => `Adresse dieses Browsers (${address}) hinzufügen`,
    browserUnknown: 'Der Dienst kann nicht feststellen, welche Adresse dieser Browser hat.',
    browserCovered: (address: string): string =>
      `Die Adresse dieses Browsers, ${address}, ist schon erlaubt.`,
    many: 'Liste einfügen',
    test: 'Adresse testen',
  },
  many: {
    label: 'Liste von Einträgen',
    hint: 'Einer pro Zeile oder durch Kommas getrennt. Text nach einem Eintrag wird zu seiner Bezeichnung.',
    placeholder: '203.0.113.0/24 Büro\n198.51.100.7 # Backup',
    add: 'Alle hinzufügen',
    close: 'Schließen',
    added: (added: number, repeated: number): string =>
      [
        added > 0 ? `${plural(added, 'Eintrag', 'Einträge')} hinzugefügt` : '',
        repeated > 0 ? `${formatNumber(repeated)} schon in der Liste` : '',
      ]
        .filter(Boolean)
        .join(', '),
    unread: (count: number): string => `${plural(count, 'Zeile ist', 'Zeilen sind')} nicht lesbar`,
  },
  test: {
    label: 'Zu testende Adresse',
    hint: 'Prüft die Adresse anhand der Liste oben, auch mit noch nicht gespeicherten Änderungen.',
    allowed: (address: string, entries: string): string => `${address} ist durch ${entries} erlaubt.`,
    notAllowed: (address: string): string => `${address} ist nicht erlaubt.`,
    unreadable: 'Geben Sie eine IPv4- oder IPv6-Adresse ein.',
    addIt: (address: string): string => `${address} hinzufügen`,
  },
  refused: {
    title: 'Kürzlich abgelehnte Adressen',
    text: 'Dieser Client hat in den letzten 7 Tagen richtig signierte Anfragen von diesen Adressen gesendet.',
    textAll:
      'Ihre Clients haben in den letzten 7 Tagen richtig signierte Anfragen von diesen Adressen gesendet.',
    item: (count: number): string => plural(count, 'Anfrage', 'Anfragen'),
    of: (client: string): string => `von ${client}`,
    add: (address: string): string => `${address} hinzufügen`,
    addShort: 'Hinzufügen',
  },
} as const;
