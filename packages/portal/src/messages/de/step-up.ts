export const stepUp = {
  text: 'Diese Änderung betrifft die Sicherheit. Ihre Bestätigung gilt für die nächsten 10 Minuten.',
  password: 'Passwort',
  demoPassword: 'Sie nutzen das Demo-Konto, deshalb ist sein Passwort schon eingetragen.',
  code: 'Code aus der Authenticator-App',
  codeHint: '6 Ziffern',
  recoveryCode: 'Wiederherstellungscode',
  recoveryHint: 'Jeder Code gilt einmal.',
  confirm: 'Bestätigen',
  cancel: 'Abbrechen',
  withPasskey: 'Mit Passkey bestätigen',
  passkeyText: 'Ihr Gerät fragt nach einer Bestätigung.',
  otherWays: 'Andere Möglichkeiten zur Bestätigung',
  use: {
    password: 'Passwort verwenden',
    totp: 'Authenticator-App verwenden',
    'recovery-code': 'Wiederherstellungscode verwenden',
    passkey: 'Passkey verwenden',
    'identity-provider': 'Unternehmenskonto verwenden',
  },
  withProvider: (name: string): string => `Mit ${name} bestätigen`,
  providerText: (name: string): string =>
    `Es öffnet sich ein Fenster, in dem Sie sich bei ${name} noch einmal anmelden. Diese Seite bleibt offen.`,
  providerWaiting: (name: string): string =>
    `Fahren Sie im Fenster von ${name} fort. Danach geht es auf dieser Seite von selbst weiter.`,
  windowBlocked:
    'Ihr Browser hat das Fenster blockiert. Erlauben Sie Pop-ups für diese Seite und versuchen Sie es noch einmal.',
  noWay:
    'Sie können Ihre Identität hier noch nicht bestätigen. Wenden Sie sich an den Support, damit die Anmeldung Ihres Unternehmens dafür eingerichtet wird.',
  providerFailedTitle: 'Nicht bestätigt',
  providerProblems: {
    'provider-refused': (name: string): string =>
      `${name} hat Ihre Identität nicht bestätigt. Versuchen Sie es noch einmal oder fragen Sie die Stelle, die ${name} betreibt.`,
    'provider-unavailable': (name: string): string =>
      `${name} antwortet nicht. Versuchen Sie es gleich noch einmal.`,
    'sign-in-expired': (): string =>
      'Es hat zu lange gedauert, oder Ihre Sitzung ist beendet. Versuchen Sie es noch einmal.',
    'other-person': (name: string): string =>
      `Sie haben sich bei ${name} als eine andere Person angemeldet. Verwenden Sie das Konto, mit dem Sie hier angemeldet sind.`,
    'proof-not-dated': (name: string): string =>
      `${name} hat nicht mitgeteilt, wann Sie sich angemeldet haben. Das zählt deshalb nicht als frische Bestätigung. Wählen Sie eine andere Möglichkeit, falls Sie eine haben. Wenden Sie sich sonst an den Support: ${name} muss den Claim auth_time senden.`,
    'proof-not-fresh': (name: string): string =>
      `${name} hat eine frühere Anmeldung übernommen, statt Sie noch einmal zu fragen. Melden Sie sich dort ab und versuchen Sie es noch einmal, oder wählen Sie eine andere Möglichkeit, falls Sie eine haben. Wenn es immer wieder geschieht, wenden Sie sich an den Support: ${name} muss max_age oder prompt=login beachten, und die Uhr dort muss richtig gehen.`,
  },
  backToPage:
    'Kehren Sie zu der Seite zurück, auf der Sie nach der Bestätigung gefragt wurden. Dieses Fenster können Sie schließen.',
  closeWindow: 'Fenster schließen',
  confirmed: 'Bestätigt',
  passkeyDeclined: {
    title: 'Es wurde kein Passkey verwendet',
    detail:
      'Der Dialog auf Ihrem Gerät wurde geschlossen, oder die Zeit ist abgelaufen. Versuchen Sie es noch einmal oder wählen Sie eine andere Möglichkeit.',
  },
  passkeyKnown: {
    title: 'Dieses Gerät hat schon einen Passkey',
    detail: 'Verwenden Sie den vorhandenen oder fügen Sie ein anderes Gerät hinzu.',
  },
  passkeyFailed: {
    title: 'Ihr Gerät konnte keinen Passkey verwenden',
    detail: 'Versuchen Sie es mit einem anderen Browser oder Gerät oder wählen Sie eine andere Möglichkeit.',
  },
} as const;
