const either = new Intl.ListFormat('de', { style: 'long', type: 'disjunction' });
const lists = new Intl.ListFormat('de', { style: 'long', type: 'conjunction' });

interface PartWords {
  /** In the accusative. */
  readonly article: 'den' | 'die';
  readonly noun: string;
}

const partWords: Readonly<Record<string, PartWords | undefined>> = {
  method: { article: 'die', noun: 'Methode' },
  authority: { article: 'die', noun: 'Authority' },
  path: { article: 'den', noun: 'Pfad' },
  query: { article: 'die', noun: 'Query' },
  body: { article: 'den', noun: 'Body' },
  status: { article: 'den', noun: 'Status' },
  request: { article: 'die', noun: 'Anfrage' },
};

/** Lists parts of a request in the accusative: `Methode, Pfad und Body`, or `den Body`. */
function list(parts: readonly string[]): string {
  const [first = ''] = parts;
  const only = parts.length === 1 ? partWords[first] : undefined;
  if (only !== undefined) return `${only.article} ${only.noun}`;
  return lists.format(parts.map((part) => partWords[part]?.noun ?? part));
}

function themIn(parts: readonly string[]): string {
  const [first = ''] = parts;
  return parts.length === 1 && partWords[first]?.article === 'den' ? 'ihn' : 'sie';
}

/** The rules that a client signs by. */
export const messageProfiles = {
  title: 'Signaturprofil',
  description: 'Die Regeln, nach denen dieser Client signiert, und was seine Signaturen abdecken.',
  about: 'Über Signaturprofile',
  binds: (parts: readonly string[]): string => `Deckt ${list(parts)} ab.`,
  signsWith: (algorithms: readonly string[]): string => `Signiert mit ${either.format(algorithms)}.`,
  bindsNothing: 'Deckt keinen Teil der Anfrage ab.',
  leavesOpen: (parts: readonly string[]): string => `Deckt ${list(parts)} nicht ab`,
  mayChange: (parts: readonly string[]): string => `Jemand könnte ${themIn(parts)} unterwegs ändern.`,
  openTitle: (parts: readonly string[]): string => `Dieses Profil deckt ${list(parts)} nicht ab`,
  openText: (parts: readonly string[]): string =>
    `Jemand könnte ${themIn(parts)} unterwegs ändern, und die Signatur wäre trotzdem gültig. Wählen Sie dieses Profil nur, wenn der Client nach keinem anderen signieren kann.`,
  notAccepted: 'Von diesem Dienst nicht angenommen',
  notAcceptedTitle: 'Dieser Dienst nimmt das Profil dieses Clients nicht an',
  notAcceptedText: (name: string): string =>
    `Er lehnt alle Anfragen dieses Clients ab. Wählen Sie ein anderes Profil, oder lassen Sie ${name} im Dienst zu.`,
  signing: {
    other: (title: string): string =>
      `Das Profil dieses Clients ist „${title}“. Die Codebeispiele signieren nach dem Countersign-Profil und funktionieren deshalb nicht für ihn.`,
    rules: 'Was seine Signaturen abdecken müssen',
    service: 'Wie dieser Dienst damit umgeht',
    keyidHint:
      'Die `keyid` einer Signatur ist einer dieser Werte. Der Thumbprint ist der JWK-Thumbprint des Schlüssels (RFC 7638).',
    clientId: 'Client-ID',
    thumbprint: 'Thumbprint des Schlüssels',
  },
  curl: {
    intro: 'Ab Version 8.22 signiert curl die Anfrage selbst.',
    keyKind: (kind: string): string =>
      `Mit dem ${kind.replaceAll(' ', '-')}-Schlüssel des Clients kann curl nicht signieren`,
    keyKindText:
      'curl signiert nur mit Ed25519-Schlüsseln. Fügen Sie diesem Client einen Ed25519-Schlüssel hinzu.',
    convert: 'Privaten Schlüssel umwandeln',
    convertText:
      'curl liest den Schlüssel als Hexadezimalziffern, nicht als PEM. Halten Sie die neue Datei ebenso geheim wie die alte.',
    convertCommand: 'Befehl zum Umwandeln des privaten Schlüssels',
    send: 'Signierte Anfrage senden',
    sendText: 'Sie geht an /v1/signature-test und verändert nichts.',
    sendCommand: 'curl-Befehl',
  },
} as const;
