/** Advice for people by problem code, where the service's own texts are for programs. */
export const problemAdvice: Readonly<
  Record<string, { readonly title: string; readonly detail: string } | undefined>
> = {
  permission_denied: {
    title: 'Ihre Rolle erlaubt das nicht',
    detail:
      'Bitten Sie einen Inhaber oder Administrator des Kontos, es zu tun oder Ihre Rolle unter „Einstellungen“, „Team“ zu ändern.',
  },
  not_found: {
    title: 'Nicht gefunden',
    detail:
      'Vielleicht wurde es entfernt, oder es gehört zu einem anderen Konto. Prüfen Sie oben links, welches Konto ausgewählt ist.',
  },
  precondition_failed: {
    title: 'Das hat inzwischen jemand anderes geändert',
    detail: 'Laden Sie die Seite neu, um den aktuellen Stand zu sehen, und wiederholen Sie Ihre Änderung.',
  },
  second_factor_required: {
    title: 'Dieses Konto verlangt einen zweiten Faktor',
    detail: 'Fügen Sie unter „Einstellungen“, „Mein Profil“ eine Authenticator-App oder einen Passkey hinzu.',
  },
  session_required: { title: 'Sie sind abgemeldet', detail: 'Melden Sie sich wieder an, um weiterzumachen.' },
  cross_site_request: {
    title: 'Die Anfrage wurde zu Ihrer Sicherheit blockiert',
    detail:
      'Öffnen Sie das Portal in einem eigenen Tab unter der Adresse, die Sie vom Betreiber haben, und versuchen Sie es noch einmal.',
  },
  credentials_invalid: {
    title: 'E-Mail-Adresse oder Passwort ist falsch',
    detail:
      'Prüfen Sie beides und ob die Feststelltaste aktiv ist. Sie können auch Ihr Passwort zurücksetzen.',
  },
  second_factor_invalid: {
    title: 'Der Code ist falsch oder schon verwendet',
    detail:
      'Geben Sie den Code ein, den Ihre App jetzt anzeigt. Wenn er wieder nicht stimmt, prüfen Sie die Uhr Ihres Telefons.',
  },
  too_many_attempts: {
    title: 'Zu viele Versuche',
    detail: 'Zu Ihrer Sicherheit sind weitere Versuche eine Weile gesperrt.',
  },
  link_invalid: {
    title: 'Dieser Link funktioniert nicht mehr',
    detail:
      'Er wurde schon verwendet, ist abgelaufen oder wurde nicht vollständig kopiert. Lassen Sie sich einen neuen schicken.',
  },
  storage_unavailable: {
    title: 'Der Dienst erreicht seine Datenbank nicht',
    detail: 'Es wurde nichts geändert. Versuchen Sie es in einer Minute noch einmal.',
  },
};

/** Shown if only the password was asked for. */
export const passwordAdvice = {
  credentials_invalid: {
    title: 'Das Passwort ist falsch',
    detail: 'Prüfen Sie es und ob die Feststelltaste aktiv ist.',
  },
} as const;

/** Failures without a readable response from the service. */
export const localProblems = {
  serviceUnreachable: {
    title: 'Der Dienst ist nicht erreichbar',
    detail:
      'Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal. Ihre Änderung wurde vielleicht nicht gespeichert.',
  },
  /** Shown if something was to be read, not changed. */
  notShown: {
    title: 'Der Dienst ist nicht erreichbar',
    detail: 'Prüfen Sie Ihre Verbindung. Die Seite erscheint, sobald der Dienst wieder erreichbar ist.',
  },
  cancelled: {
    title: 'Es wurde nichts geändert',
    detail: 'Sie haben den Dialog geschlossen, ohne Ihre Identität zu bestätigen.',
  },
  /** Not a failure, but nothing was changed. */
  waiting: {
    title: 'Wartet auf eine zweite Person',
    detail: 'Noch wurde nichts geändert. Die Änderung wird ausgeführt, sobald jemand anders sie freigibt.',
  },
  answerUnreadable: (status: number): { readonly title: string; readonly detail: string } => ({
    title: 'Die Antwort lässt sich nicht lesen',
    detail:
      status < 300
        ? 'Etwas zwischen dieser Seite und dem Dienst hat die Antwort verändert. Laden Sie die Seite neu.'
        : `Etwas zwischen dieser Seite und dem Dienst hat mit Status ${status} geantwortet. Versuchen Sie es noch einmal. Wenn es wieder passiert, wenden Sie sich an den Support.`,
  }),
} as const;
