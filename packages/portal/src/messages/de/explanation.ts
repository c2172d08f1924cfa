import { formatNumber, plural } from './plural.ts';

export const explanation = {
  checkTitles: {
    framing: 'Methode und URL sind richtig aufgebaut',
    presence: 'Signatur-Header sind vorhanden',
    syntax: 'Signatur-Header sind richtig aufgebaut',
    parameters: 'Parameter sind vollständig',
    algorithm: 'Algorithmus ist erlaubt',
    components: 'Vorgeschriebene Komponenten sind signiert',
    time: 'Zeitangabe ist aktuell',
    signature: 'Signatur passt zu einem Schlüssel des Clients',
    active: 'Client ist aktiv',
    network: 'Absenderadresse ist erlaubt',
    permission: 'Eine Rolle erlaubt die Operation',
    body: 'Body passt zum signierten Digest',
    replay: 'Signatur wurde noch nicht verwendet',
  },
  checks: 'Prüfungen der Reihe nach',
  states: { passed: 'bestanden', failed: 'nicht bestanden', 'not-reached': 'nicht erreicht' },
  expected: 'Erwartet',
  received: 'Empfangen',
  ageSeconds: (seconds: number): string =>
    seconds < 0
      ? `${formatNumber(-seconds)}\u00A0s vor der Uhr des Dienstes`
      : `${formatNumber(seconds)}\u00A0s alt`,
  signatureBytes: (bytes: number): string => plural(bytes, 'Byte', 'Byte'),
  keyid: (keyid: string): string => `keyid ${keyid}`,

  certainties: { proven: 'Nachgewiesen', observed: 'Ersichtlich', likely: 'Wahrscheinlich' },
  certaintyTexts: {
    proven: 'Wer diesen Fehler nachstellt, erhält genau die gesendete Signatur oder den gesendeten Digest.',
    observed: 'In der Anfrage zu sehen.',
    likely: 'Das würde den Fehlschlag erklären, ist aber nicht sicher.',
  },
  whatToDo: 'Was zu tun ist',
  more: 'Mehr dazu',
  proof: 'Nachweis',
  differenceAt: (line: number, column: number): string =>
    `Erster Unterschied: Zeile ${line}, Zeichen ${column}`,
  differenceAtCharacter: (column: number): string => `Erster Unterschied: Zeichen ${column}`,
  arrived: 'Angekommen',
  builtByService: 'Vom Dienst erwartet',
  builtBySigner: 'Vom Client signiert',
  claimedBySigner: 'Ihre Signaturbasis',
  bodyCame: 'Empfangener Body',
  bodyHashed: 'Gehashter Text',
  endsHere: 'endet hier',
  firstDifference: 'erster Unterschied',

  foundNone: 'Es wurde nach allen bekannten Fehlern gesucht, aber keiner erklärt das.',
  foundNoneInSignature:
    'Es wurde nach allen bekannten Fehlern gesucht, aber keiner erklärt das. Meist wurde mit einem anderen privaten Schlüssel signiert, oder etwas hat die Anfrage unterwegs verändert. Um herauszufinden, was zutrifft, vergleichen Sie den Fingerabdruck Ihres privaten Schlüssels, den dieser Befehl ausgibt, mit denen auf dem Reiter „Schlüssel“ des Clients.',
  fingerprintCommand: 'Befehl für den Fingerabdruck',
  notSearched:
    'Nach dem genauen Fehler in dieser Anfrage wurde nicht gesucht, denn der Dienst sucht nur, solange er Kapazität frei hat. Um jetzt zu suchen, fügen Sie die Anfrage in den Signatur-Debugger ein.',
  wanted: (profile: string): string => `Was nach Profil ${profile} zu senden ist`,
  incomplete: 'Die Suche hat ihre Grenze erreicht. Es kann weitere Fehler geben.',
  withheld: (count: number): string =>
    `${plural(count, 'Befund', 'Befunde')} zu Schlüsseln ${count === 1 ? 'ist' : 'sind'} ausgeblendet, weil Sie mit Ihrer Rolle keine Schlüssel sehen können.`,
} as const;
