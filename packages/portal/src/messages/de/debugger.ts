import type { Features } from '@countersign/contract';
import { signingAlgorithms, sshKeyTypes, usualAlgorithm } from '@countersign/contract/signing-algorithms';
import { messageProfiles } from './message-profiles.ts';
import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';
import { requestsKept } from './requests.ts';

const either = new Intl.ListFormat('de', { style: 'long', type: 'disjunction' });
const keyTitles = either.format(Object.values(signingAlgorithms).map(({ keyTitle }) => keyTitle));

export const signatureDebugger = {
  title: pageTitles.signatureDebugger,
  description:
    'Fügen Sie eine abgelehnte Anfrage ein, um zu sehen, was daran falsch ist. Mit dem öffentlichen Schlüssel lässt es sich nachweisen. Alles geschieht in Ihrem Browser, nichts wird gesendet.',
  staysHere: 'Was Sie einfügen, bleibt in Ihrem Browser.',

  request: 'Anfrage',
  requestText: 'Die abgelehnte Anfrage, wie Ihr Programm sie gesendet oder der Dienst sie empfangen hat',
  howGiven: 'Eingabeformat',
  asText: 'Text',
  asFields: 'Felder',
  text: 'HTTP-Anfrage, curl-Befehl, Ausgabe von curl -v oder HAR-Eintrag',
  textPlaceholder: `POST /v1/payments HTTP/1.1\nHost: api.example.com\nDate: Tue, 20 Apr 2021 02:07:55 GMT\nContent-Digest: sha-256=:…:\nSignature-Input: sig=("@method" "@target-uri" "content-digest" "date");created=…;keyid="client_…";alg="${usualAlgorithm}"\nSignature: sig=:…:\n\n{"amount":1200}`,
  openFile: 'Datei öffnen',
  openFileHint: 'Wird Byte für Byte gelesen: eine gespeicherte HTTP-Anfrage oder ein HAR-Archiv',
  file: (name: string, bytes: number): string => `${name}, ${plural(bytes, 'Byte', 'Byte')}`,
  removeFile: 'Datei entfernen',
  fileTooLarge: 'Diese Datei ist größer als 20\u00A0MB. Speichern Sie nur die eine Anfrage in einer Datei.',
  fileUnreadable: 'Diese Datei lässt sich nicht lesen.',
  method: 'Methode',
  url: 'Aufgerufene URL',
  headers: 'Header, einer pro Zeile',
  hasBody: 'Body separat eingeben',
  body: 'Body',
  bodyHint: 'Genau die gesendeten Bytes, ohne Zeilenumbruch am Schluss.',
  entry: 'Anfrage im Archiv',
  privateKey:
    'Ihre Eingabe enthielt einen privaten Schlüssel. Er wurde entfernt und nicht gesendet. Sie brauchen nur den öffentlichen Schlüssel.',

  compare: 'Mit der Anfrage vergleichen, wie Ihr Programm sie gesendet hat',
  sent: 'So hat Ihr Programm sie gesendet',
  sentHint:
    'Optional. Steht zwischen Ihrem Programm und dem Dienst ein Proxy oder Gateway, fügen Sie oben die Anfrage ein, wie sie ankam, und hier, wie sie gesendet wurde. Der Debugger findet, was sich dazwischen geändert hat.',
  hops: 'Auf dem Übertragungsweg',
  hopVerdicts: {
    unsigned: 'Keine der beiden Anfragen hat eine Signatur',
    'never-valid':
      'Die Signatur ist nicht erst unterwegs ungültig geworden. Sie war es schon, als Ihr Programm die Anfrage gesendet hat',
    broken: 'Die Anfrage wurde zwischen Ihrem Programm und dem Dienst verändert',
    intact: 'Zwischen Ihrem Programm und dem Dienst hat sich nichts Signiertes geändert',
  },
  hopProven: 'Für die gesendete Anfrage ist die Signatur gültig, für die angekommene nicht mehr.',
  hopUnproven:
    'Die Signatur deckt das Geänderte ab. Geben Sie den öffentlichen Schlüssel an, um es nachzuweisen.',
  hopUnseen: 'Die beiden Texte zeigen nicht, was sich geändert hat. Vielleicht fehlt in einem der Body.',
  hopNeverValid: 'Was an der gesendeten Anfrage falsch ist, steht weiter unten.',
  hopIntactProven: 'Die Signatur ist in beiden gültig.',
  hopIntact: 'Geben Sie den öffentlichen Schlüssel an, um es nachzuweisen.',
  sideSent: 'Von Ihrem Programm gesendet',
  sideReceived: 'Vom Dienst empfangen',
  hopDoneBy: 'Oft verursacht durch',
  hopByte: (offset: number, before: number, after: number): string =>
    before === after
      ? `Byte ${formatNumber(offset + 1)} von ${formatNumber(before)}`
      : `Byte ${formatNumber(offset + 1)}; vorher ${plural(before, 'Byte', 'Byte')}, nachher ${formatNumber(after)}`,
  hopUnsigned: 'Außerdem geändert, aber nicht signiert',
  hopMoreHeaders: (count: number): string => plural(count, 'weiterer Header', 'weitere Header'),

  key: 'Schlüssel',
  keyText:
    'Mit dem öffentlichen Schlüssel lässt sich nachweisen, was signiert wurde. Ohne ihn zeigt der Debugger nur, was der Anfrage anzusehen ist.',
  keyFrom: 'Herkunft des Schlüssels',
  ofClient: 'Client',
  pasted: 'Öffentlicher Schlüssel',
  noKey: 'Keiner',
  client: 'Client',
  chooseClient: 'Client auswählen',
  noClientFound: 'Keine Treffer',
  keysLoading: 'Öffentliche Schlüssel werden geladen\u00A0…',
  keysFound: (count: number): string =>
    `${plural(count, 'Schlüssel', 'Schlüssel')} dieses Clients, auch abgelaufene und widerrufene`,
  noKeys: 'Dieser Client hat keine Schlüssel',
  profile: messageProfiles.title,
  profileHint: 'Die Regeln, nach denen die Anfrage geprüft wird. Sie ergeben sich aus dem gewählten Client.',
  profileOption: (title: string, name: string): string => (title === name ? name : `${title} (${name})`),
  profileNotOfClient: (name: string): string => `Dieser Client signiert nach einem anderen Profil: ${name}.`,
  publicKey: 'Öffentlicher Schlüssel',
  publicKeyHint: `PEM, reines Base64, Zertifikat, JWK oder eine Zeile mit ${either.format(sshKeyTypes)}`,
  publicKeyRefused: `Dieser Text enthält keinen lesbaren öffentlichen Schlüssel für ${keyTitles}.`,
  mayNotSeeKeys:
    'Mit Ihrer Rolle können Sie die Schlüssel der Clients nicht sehen. Fügen Sie den öffentlichen Schlüssel ein.',

  more: 'Uhr, URL und Signaturbasis',
  clock: 'Uhr des Dienstes',
  clocks: { signed: 'Zeitpunkt der Signatur', now: 'Jetzt', at: 'Bestimmter Zeitpunkt' },
  clockHint: 'Die Anfrage wird so geprüft, als wäre sie zu diesem Zeitpunkt angekommen.',
  at: 'Ankunftszeit',
  baseUrl: 'URL des Dienstes',
  baseUrlHint:
    'Die öffentliche URL, die der Dienst vor den Pfad setzt, auch wenn ein Proxy dazwischen eine andere verwendet.',
  claimedBase: 'Signaturbasis, die Ihre Anwendung gebildet hat',
  claimedBaseHint:
    'Optional, falls Ihre Anwendung sie ausgeben kann. Sie wird Byte für Byte mit der des Dienstes verglichen.',
  mayOmitDate: 'Der Client darf Date weglassen',

  explain: 'Untersuchen',
  clear: 'Eingaben leeren',
  errors: {
    request: 'Fügen Sie eine Anfrage ein.',
    method: 'Geben Sie die Methode ein.',
    url: 'Geben Sie die vollständige URL ein.',
    publicKey: 'Geben Sie einen gültigen öffentlichen Schlüssel ein, oder wählen Sie „Keiner“.',
    at: 'Geben Sie die Ankunftszeit ein.',
    profile:
      'Dieser Dienst nimmt das Profil des Clients nicht an und lehnt alle seine Anfragen ab. Wählen Sie ein anderes Profil, um eine Anfrage zu untersuchen.',
  },
  failed:
    'Diese Anfrage konnte nicht untersucht werden. Laden Sie die Seite neu. Wenn es wieder fehlschlägt, wenden Sie sich an den Support und sagen Sie, welche Art von Text Sie eingefügt haben.',
  unreadableTitle: 'Weitere Angaben nötig',
  unreadableSent: 'Zur Anfrage, wie Ihr Programm sie gesendet hat:',

  result: 'Ergebnis',
  staleTitle: 'Die Eingabe hat sich geändert',
  staleText: 'Klicken Sie noch einmal auf „Untersuchen“, um das Ergebnis zu sehen.',
  verdicts: {
    valid: 'Keine Fehler gefunden. Diese Anfrage besteht alle Prüfungen, die hier möglich sind',
    validWithoutBody: 'Bisher kein Fehler gefunden, aber der Body ist unbekannt',
    validWithoutBodyText:
      'Die Signatur ist gültig. Geben Sie den Body an, um zu prüfen, ob Content-Digest dazu passt.',
    mistakes: (count: number): string => `${plural(count, 'Fehler', 'Fehler')} gefunden`,
    refusedUnexplained: 'Die Anfrage wird abgelehnt, aber es war kein Fehler darin zu finden',
    undecided: 'Keine sichtbaren Fehler. Geben Sie den öffentlichen Schlüssel an, um die Signatur zu prüfen',
  },
  explained: 'Eingabe',
  explainedUrl: 'URL',
  explainedBody: 'Body',
  bodyNone: 'keiner',
  bodyUnknown: 'unbekannt',
  bodyBytes: (bytes: number): string => plural(bytes, 'Byte', 'Byte'),
  explainedClock: 'Uhr',
  explainedKeys: 'Schlüssel',
  keyCount: (count: number): string => (count === 0 ? 'keine' : plural(count, 'Schlüssel', 'Schlüssel')),
  keyid: 'keyid',
  explainedProfile: 'Profil',
  findings: 'Gefundene Fehler',
  checks: 'Prüfungen',
  checksText:
    'Dafür genügen Anfrage, Schlüssel und Uhr. Client, Netzwerk, Rollen und Wiederholungen (Replays) kann nur der Dienst prüfen.',
  base: 'Signaturbasis',
  baseText:
    'Signieren Sie genau diese Bytes. Zeilenenden und andere unsichtbare Zeichen sind sichtbar gemacht.',
  baseMended:
    'Die Signaturbasis dieser Anfrage, wenn alle Fehler behoben sind. Verwenden Sie für created und Date neue Werte, wenn Sie die Anfrage erneut senden.',
  baseMendedByProfile:
    'Die Signaturbasis dieser Anfrage, wenn alle Fehler behoben sind. Verwenden Sie für created einen neuen Wert, wenn Sie die Anfrage erneut senden.',
  copyBase: 'Signaturbasis',
  claimTrimmed:
    'Der Zeilenumbruch nach Ihrer Signaturbasis wurde ignoriert, weil ihn vermutlich ein Editor angefügt hat. Falls Sie ihn mitsigniert haben, entfernen Sie ihn: Nach der letzten Zeile darf nichts mehr folgen.',
  incomplete: 'Die Suche hat ihre Grenze erreicht. Es kann weitere Fehler geben.',
  useClient: (name: string): string => `Mit den Schlüsseln von ${name} nachweisen`,
  useClientText: (name: string): string => `Die Anfrage nennt ${name}, einen Client dieses Kontos.`,

  findClient: 'Client suchen',
  findClientText:
    'Die Anfrage nennt einen Schlüssel. Wenn er einem Client dieses Kontos gehört, lässt sich mehr nachweisen.',
  findClientHint: 'An den Dienst wird nur die keyid gesendet, sonst nichts aus der Anfrage.',
  noClientOfKey:
    'Kein Client dieses Kontos hat diesen Schlüssel, oder sein Profil bezeichnet Schlüssel auf andere Weise.',

  kept: 'Was über diese Anfrage bekannt ist',
  keptText:
    'Der Dienst speichert weder Bodys noch Signaturen. Für einen Nachweis Byte für Byte fügen Sie die Anfrage ein, wie Ihre Anwendung sie gesendet hat: die Ausgabe von curl -v oder das Log Ihrer Anwendung.',
  keptGone: (kept: Features['requestsKept']): string =>
    `Die verlinkte Anfrage wurde nicht gefunden. ${requestsKept(kept)}`,

  advice: {
    'give-body': 'Fügen Sie den Body unter „Body separat eingeben“ ein.',
    'give-body-instead':
      'Entfernen Sie diese Option, und fügen Sie den Body unter „Body separat eingeben“ ein.',
    'give-verbose-output':
      'Führen Sie den Befehl mit -v aus und fügen Sie die Ausgabe ein, den Body unter „Body separat eingeben“.',
    'give-base-url': 'Geben Sie unten die URL des Dienstes ein.',
    'choose-entry': 'Wählen Sie eine Anfrage aus.',
    'give-fields': 'Oder geben Sie die Anfrage in Feldern ein.',
  },
} as const;
