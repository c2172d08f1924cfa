import { signingAlgorithms } from '@countersign/contract/signing-algorithms';
import type { PublicKeyFormat } from '@countersign/signature';
import type { KeyChoice } from '../../components/key-input/generate-key-pair.ts';
import { formatNumber } from './plural.ts';

const either = new Intl.ListFormat('de', { style: 'long', type: 'disjunction' });
const keyTitles = either.format(Object.values(signingAlgorithms).map(({ keyTitle }) => keyTitle));

/** The kind of a private key, so that people know which file it was. */
export type PrivateKeyForm = keyof typeof privateKeyForms;

const privateKeyForms = {
  encrypted: 'ein verschlüsselter privater Schlüssel',
  pkcs8: 'ein privater Schlüssel (PKCS#8)',
  pkcs1: 'ein privater Schlüssel (PKCS#1)',
  openssh: 'ein privater OpenSSH-Schlüssel',
  putty: 'ein privater PuTTY-Schlüssel',
  ec: 'ein privater Schlüssel für elliptische Kurven',
  dsa: 'ein privater DSA-Schlüssel',
  jwk: 'ein privater Schlüssel (JWK)',
  xml: 'ein privater Schlüssel (XML)',
  pgp: 'ein privater PGP-Schlüssel',
  'key-store': 'ein PKCS#12-Schlüsselspeicher mit einem privaten Schlüssel',
  unknown: 'ein privater Schlüssel',
};

/** The reasons for rejecting a text, as detailed as helps people. */
export type KeyProblem = keyof typeof problemTitles;

const problemTitles = {
  key_missing: 'Dieser Text enthält keinen Schlüssel',
  key_malformed: 'Dieser Text enthält keinen lesbaren öffentlichen Schlüssel',
  several_keys: 'Dieser Text enthält mehr als einen Schlüssel',
  not_rsa: `Das ist kein Schlüssel für ${keyTitles}`,
  elliptic_curve: 'Dieser Schlüssel für elliptische Kurven ist nicht verwendbar',
  edwards_curve: 'Das ist ein Schlüssel für Ed448, X25519 oder Ähnliches, nicht für Ed25519',
  dsa: `Das ist ein DSA-Schlüssel, kein Schlüssel für ${keyTitles}`,
  security_token:
    'Dieser Schlüssel gehört zu einem Sicherheitstoken und kann nur für SSH und Webseiten signieren',
  symmetric: 'Das ist ein gemeinsames Geheimnis, kein öffentlicher Schlüssel',
  pss_only: 'Dieser RSA-Schlüssel ist auf PSS-Signaturen beschränkt',
  modulus_too_small: 'Dieser RSA-Schlüssel ist zu kurz',
  modulus_too_large: 'Dieser RSA-Schlüssel ist zu lang',
  exponent_not_allowed: 'Dieser RSA-Schlüssel hat einen ungewöhnlichen Exponenten',
  modulus_weak_small_factor:
    'Dieser RSA-Schlüssel ist schwach: Der private Schlüssel lässt sich aus ihm berechnen',
  modulus_weak_close_primes: 'Dieser RSA-Schlüssel ist schwach: Seine Primzahlen liegen zu nah beieinander',
  modulus_weak_roca: 'Dieser RSA-Schlüssel ist schwach: Beim Erzeugen trat die ROCA-Schwachstelle auf',
  modulus_weak_prime: 'Dieser RSA-Schlüssel ist schwach: Sein Modulus ist eine Primzahl',
  modulus_even: 'Dieser RSA-Schlüssel ist beschädigt',
  published_test_key: 'Das ist ein öffentlich bekannter Testschlüssel',
  fingerprint: 'Das ist der Fingerabdruck eines Schlüssels, nicht der Schlüssel selbst',
  file_name: 'Das ist ein Dateiname, kein Schlüssel',
  client_id: 'Das ist eine Client-ID, kein Schlüssel',
  certificate_request: 'Das ist eine Zertifikatsanforderung',
  certificate_chain: 'Dieser Text enthält mehr als ein Zertifikat',
  pgp_key: 'Das ist ein PGP-Schlüssel',
  other_format: 'Dieses Schlüsselformat wird nicht unterstützt',
  cut_off: 'Dieser Schlüssel ist unvollständig',
  file_unreadable: 'Die Datei lässt sich nicht lesen',
  reader_not_loaded: 'Der Schlüssel konnte nicht geprüft werden',
  file_too_large: 'Diese Datei ist zu groß für einen Schlüssel',
  registered_already: 'Dieser Schlüssel ist bereits registriert',
  refused_by_service: 'Der Dienst nimmt diesen Schlüssel nicht an',
};

/** Advice on problems that the key reader does not explain. */
const advice: Readonly<Partial<Record<KeyProblem, string>>> = {
  fingerprint:
    'Ein Fingerabdruck bezeichnet einen Schlüssel nur. Fügen Sie den öffentlichen Schlüssel selbst ein: den Inhalt von public.pem.',
  file_name:
    'Öffnen Sie die Datei und fügen Sie ihren Inhalt ein, oder wählen Sie sie unter „Hochladen“ aus.',
  client_id:
    'Die Client-ID vergibt der Dienst. Fügen Sie hier den öffentlichen Schlüssel ein: den Inhalt von public.pem.',
  certificate_chain: 'Fügen Sie nur das Zertifikat Ihrer Anwendung ein, ohne die der Aussteller.',
  file_unreadable: 'Wählen Sie die Datei noch einmal aus, oder fügen Sie ihren Inhalt ein.',
  reader_not_loaded: 'Prüfen Sie Ihre Verbindung und geben Sie den Schlüssel noch einmal ein.',
  file_too_large:
    'Wählen Sie eine Datei mit einem einzigen öffentlichen Schlüssel. Sie ist normalerweise deutlich kleiner als 1\u00A0kB.',
};

const formats: Readonly<Record<PublicKeyFormat, string>> = {
  spki: 'Öffentlicher Schlüssel',
  pkcs1: 'Öffentlicher Schlüssel (PKCS#1)',
  certificate: 'Öffentlicher Schlüssel (Zertifikat)',
  jwk: 'Öffentlicher Schlüssel (JWK)',
  'ssh-rsa': 'Öffentlicher Schlüssel (SSH)',
  'ssh-ed25519': 'Öffentlicher Schlüssel (SSH)',
  'ecdsa-sha2-nistp256': 'Öffentlicher Schlüssel (SSH)',
  'ecdsa-sha2-nistp384': 'Öffentlicher Schlüssel (SSH)',
};

const signWithPem = 'Signieren Sie mit dem privaten Schlüssel im PEM-Format. Der Kommentar wird ignoriert.';

const formatHints: Readonly<Partial<Record<PublicKeyFormat, string>>> = {
  certificate:
    'Nur der Schlüssel wird verwendet. Namen, Daten und Aussteller des Zertifikats werden ignoriert.',
  'ssh-rsa': signWithPem,
  'ecdsa-sha2-nistp256': signWithPem,
  'ecdsa-sha2-nistp384': signWithPem,
  // ssh-keygen leaves Ed25519 keys in their own format, whatever it is asked for.
  'ssh-ed25519':
    'Signieren Sie möglichst mit dem privaten Schlüssel im PEM-Format: OpenSSH schreibt Ed25519-Schlüssel nur in seinem eigenen. Der Kommentar wird ignoriert.',
};

export const keyInput = {
  fieldLabel: 'Öffentlicher Schlüssel',
  waysLabel: 'Eingabeart des öffentlichen Schlüssels',
  ways: { paste: 'Einfügen', upload: 'Hochladen', generate: 'Hier erzeugen', commandLine: 'Kommandozeile' },
  paste: {
    placeholder: '-----BEGIN PUBLIC KEY-----',
    hint: 'PEM, Base64 in einer Zeile, ein Zertifikat, ein JWK oder eine Zeile aus einer .pub-Datei von OpenSSH. Niemals ein privater Schlüssel.',
  },
  upload: {
    title: 'Datei mit dem öffentlichen Schlüssel auswählen',
    drop: 'oder hierher ziehen',
    hint: 'public.pem, .crt, .der, .jwk oder eine .pub-Datei von OpenSSH. Die Datei wird in Ihrem Browser gelesen.',
    chosen: (name: string): string => `Aus ${name}`,
  },
  accepted: {
    hint: (format: PublicKeyFormat): string | undefined => formatHints[format],
    title: (format: PublicKeyFormat, description: string): string => `${formats[format]}: ${description}`,
    fingerprint: 'Fingerabdruck',
    noFingerprint: 'Der Fingerabdruck erscheint, sobald Sie den Schlüssel hinzugefügt haben.',
  },
  refused: {
    title: (problem: KeyProblem): string => problemTitles[problem],
    advice: (problem: KeyProblem): string | undefined => advice[problem],
  },
  algorithm: {
    label: 'Algorithmus, mit dem der Schlüssel signiert',
    hint: 'Spätere Signaturen mit einem anderen Algorithmus werden abgelehnt. Die Wahl lässt sich nicht mehr ändern.',
    option: (name: string, scheme: string): string =>
      `${scheme.replace(' over ', ' über ').replace(' and ', ' mit ')} (${name})`,
    notInProfile: 'Das Profil des Clients lässt Schlüssel dieser Art nicht zu.',
  },
  registeredFor: (clientId: string): string =>
    `Er gehört oder gehörte zum Client ${clientId}. Jeder Schlüssel lässt sich in einem Konto nur einmal registrieren, auch wenn er widerrufen wurde. Erzeugen Sie ein neues Schlüsselpaar.`,
  privateKey: {
    title: (form: PrivateKeyForm, bits: number | undefined): string =>
      `Das war ${privateKeyForms[form]}${bits === undefined ? '' : ` mit ${formatNumber(bits)} Bit`}`,
    notSent: 'Er wurde weder gesendet noch gespeichert, und das Feld wurde geleert.',
    publicHalf: 'Geben Sie stattdessen den öffentlichen Schlüssel ein. Dieser Befehl gibt ihn aus:',
    command: 'Befehl',
    otherKind: (form: PrivateKeyForm): string =>
      form === 'pgp'
        ? 'PGP-Schlüssel sind hier nicht verwendbar. Erzeugen Sie ein neues Schlüsselpaar.'
        : `Er wäre hier nicht verwendbar, denn Clients brauchen einen Schlüssel für ${keyTitles}. Erzeugen Sie ein neues Schlüsselpaar.`,
    leaked:
      'Ein privater Schlüssel darf den Rechner, der signiert, nie verlassen. Wenn Ihnen jemand diesen geschickt hat, ist er nicht mehr sicher: Erzeugen Sie ein neues Schlüsselpaar.',
    generate: 'Schlüsselpaar hier erzeugen',
  },
  generate: {
    intro:
      'Das Schlüsselpaar wird in diesem Browser erzeugt. Nur der öffentliche Schlüssel wird an den Dienst gesendet.',
    kind: 'Art des Schlüssels',
    choice: (choice: KeyChoice): string =>
      typeof choice === 'number' ? `RSA, ${formatNumber(choice)} Bit` : signingAlgorithms[choice].keyTitle,
    kindHint: (choice: KeyChoice): string =>
      typeof choice === 'number'
        ? 'RSA mit 3.072 Bit passt für die meisten Anwendungen. Mit 4.096 Bit dauert das Signieren etwa doppelt so lange.'
        : `Kurze, schnell erzeugte Signaturen. Prüfen Sie zuerst, ob Ihre Signaturbibliothek ${signingAlgorithms[choice].keyTitle} unterstützt.`,
    action: 'Schlüsselpaar erzeugen',
    working: 'Schlüsselpaar wird erzeugt\u00A0…',
    done: 'Das Schlüsselpaar ist erzeugt. Speichern Sie jetzt den privaten Schlüssel.',
    failed: (choice: KeyChoice): string =>
      choice === 'ed25519'
        ? 'Das Schlüsselpaar konnte nicht erzeugt werden. Vielleicht unterstützt dieser Browser Ed25519 noch nicht. Wählen Sie eine andere Art, oder nutzen Sie die Kommandozeile.'
        : 'Das Schlüsselpaar konnte nicht erzeugt werden. Versuchen Sie es noch einmal, oder nutzen Sie die Kommandozeile.',
    unavailable:
      'Browser erzeugen Schlüssel nur auf HTTPS-Seiten und auf localhost. Nutzen Sie die Kommandozeile und fügen Sie dann den öffentlichen Schlüssel ein.',
  },
  generated: {
    title: 'Privaten Schlüssel jetzt speichern',
    saved: 'Privater Schlüssel gespeichert',
    explanation:
      'Ihre Anwendung signiert damit. Er existiert nur auf dieser Seite. Der Dienst erhält ihn nie und kann ihn nicht noch einmal anzeigen.',
    form: 'Format des privaten Schlüssels',
    forms: { pem: 'PEM-Datei', line: 'Eine Zeile' },
    formHints: {
      pem: 'PKCS#8 in PEM, lesbar für die meisten Bibliotheken.',
      line: 'Derselbe Schlüssel als Base64 in einer Zeile, für Umgebungsvariablen und Secret-Manager.',
    },
    download: 'Privaten Schlüssel herunterladen',
    copy: 'Privaten Schlüssel kopieren',
    copied: 'Privater Schlüssel kopiert. Leeren Sie die Zwischenablage, sobald Sie ihn gespeichert haben.',
    copyFailed: 'Der Browser hat das Kopieren nicht erlaubt. Laden Sie stattdessen die Datei herunter.',
    show: 'Privaten Schlüssel anzeigen',
    hide: 'Privaten Schlüssel verbergen',
    shownLabel: 'Privater Schlüssel',
    confirm: 'Ich habe den privaten Schlüssel gespeichert',
    confirmFirst: 'Laden Sie den privaten Schlüssel zuerst herunter, oder kopieren Sie ihn.',
    gate: 'Speichern Sie den privaten Schlüssel und bestätigen Sie das. Er geht verloren, wenn Sie diese Seite verlassen.',
    discard: 'Dieses Schlüsselpaar verwerfen',
  },
  discard: {
    title: 'Dieses Schlüsselpaar verwerfen?',
    text: 'Der private Schlüssel wird von dieser Seite gelöscht. Es wurde noch nichts registriert, sonst ändert sich also nichts.',
    confirm: 'Verwerfen',
  },
  commandLine: {
    intro:
      'Führen Sie diese Befehle auf dem Rechner aus, der signieren soll. Der private Schlüssel bleibt dort.',
    make: 'Privaten Schlüssel erzeugen',
    publicHalf: 'Öffentlichen Schlüssel in public.pem schreiben',
    fingerprint: 'Fingerabdruck anzeigen und mit dem hier vergleichen',
    next: 'Fügen Sie dann den Inhalt von public.pem ein, oder laden Sie die Datei hoch.',
    paste: 'public.pem einfügen',
    upload: 'public.pem hochladen',
    copy: 'Befehl kopieren',
  },
} as const;
