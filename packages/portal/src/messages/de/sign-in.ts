export const signIn = {
  documentTitle: (title: string, serviceName: string): string => `${title} · ${serviceName}`,
  footer: 'Jede Anfrage signiert, jeder Schlüssel in Ihrer Hand.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  name: 'Ihr Name',
  required: 'Pflichtfeld.',
  emailInvalid: 'Geben Sie eine E-Mail-Adresse ein, etwa ada@example.com.',
  toSignIn: 'Zur Anmeldung',

  signInTo: (serviceName: string): string => `Bei ${serviceName} anmelden`,
  signIn: 'Anmelden',
  withPasskey: 'Mit Passkey anmelden',
  withOidc: (name: string): string => `Mit ${name} anmelden`,
  or: 'oder',
  forgot: 'Passwort vergessen?',
  demonstrationTitle: 'Das ist eine Demo',
  demonstrationText:
    'Das Demo-Konto enthält Clients, Schlüssel und Anfragen. Sehen Sie sich um und ändern Sie, was Sie möchten.',
  demonstrationAction: 'Demo-Konto öffnen',
  oidcFailedTitle: 'Die Anmeldung mit Ihrem Unternehmenskonto ist fehlgeschlagen',
  oidcProblems: {
    'provider-refused':
      'Der Anmeldedienst Ihres Unternehmens hat Ihre Identität nicht bestätigt. Versuchen Sie es noch einmal oder fragen Sie Ihre IT-Abteilung.',
    'provider-unavailable':
      'Der Anmeldedienst Ihres Unternehmens antwortet nicht. Versuchen Sie es gleich noch einmal.',
    'person-unknown':
      'Es gibt kein Mitglied mit Ihrer E-Mail-Adresse. Lassen Sie sich von einem Inhaber des Kontos einladen.',
    'sign-in-expired':
      'Es hat zu lange gedauert, oder Sie haben in einem anderen Fenster begonnen. Versuchen Sie es noch einmal.',
  },
  needsSetUpTitle: 'Noch kann sich niemand anmelden',
  needsSetUpText:
    'Der Dienst hat beim Start einen einmaligen Link zur Einrichtung ausgegeben. Öffnen Sie diesen Link, oder starten Sie den Dienst neu, um einen neuen zu erhalten.',
  resetDoneTitle: 'Ihr Passwort wurde geändert',
  endedTitle: 'Ihre Sitzung ist beendet',
  endedText: 'Melden Sie sich erneut an, um weiterzuarbeiten.',
  endedKept:
    'Melden Sie sich erneut an, um weiterzuarbeiten. Ihre Eingaben auf dieser Seite bleiben erhalten.',
  resetDoneText: 'Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.',

  secondFactorTitle: 'Noch ein Schritt',
  secondFactorTotp: 'Geben Sie den Code aus Ihrer Authenticator-App ein.',
  secondFactorRecovery: 'Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder Code gilt einmal.',
  secondFactorPasskey: 'Bestätigen Sie Ihre Identität mit Ihrem Passkey.',
  code: 'Code',
  codeHint: '6 Ziffern',
  recoveryCode: 'Wiederherstellungscode',
  verify: 'Weiter',
  useTotp: 'Authenticator-App verwenden',
  useRecovery: 'Wiederherstellungscode verwenden',
  usePasskey: 'Passkey verwenden',
  otherAccount: 'Als andere Person anmelden',

  forgotTitle: 'Passwort zurücksetzen',
  forgotText: 'Sie erhalten per E-Mail einen Link, mit dem Sie ein neues Passwort wählen.',
  forgotTextNoMail: 'Dieser Dienst verschickt keine E-Mails. Den Link bekommen Sie deshalb vom Betreiber.',
  forgotAction: 'Link senden',
  forgotActionNoMail: 'Link erstellen',
  forgotDoneTitle: 'Prüfen Sie Ihr Postfach',
  forgotDoneText: (email: string, minutes: number): string =>
    `Wenn ${email} zu einem Mitglied gehört, ist ein Link unterwegs. Er gilt ${minutes} Minuten.`,
  forgotDoneNoMailTitle: 'Fragen Sie den Betreiber nach dem Link',
  forgotDoneNoMailText: (email: string, minutes: number): string =>
    `Wenn ${email} zu einem Mitglied gehört, liegt der Link jetzt im Mail-Ordner des Dienstes. Er gilt ${minutes} Minuten.`,
  backToSignIn: 'Zurück zur Anmeldung',

  resetTitle: 'Neues Passwort wählen',
  resetText: 'Damit werden Sie überall abgemeldet.',
  newPassword: 'Neues Passwort',
  passwordHint: (charactersMin: number): string =>
    `Mindestens ${charactersMin} Zeichen. Am besten ein paar Wörter, die nichts miteinander zu tun haben.`,
  passwordLeft: (count: number): string => `Noch ${count} Zeichen`,
  passwordLong: 'Lang genug',
  passwordTooShort: (charactersMin: number): string => `Verwenden Sie mindestens ${charactersMin} Zeichen.`,
  passwordBreached:
    'Dieses Passwort ist aus einem Datenleck bekannt, Angreifer probieren es zuerst. Wählen Sie eines, das Sie noch nie verwendet haben.',
  passwordTooWeak:
    'Zu leicht zu erraten. Vermeiden Sie Wörter, die mit Ihnen oder diesem Dienst zu tun haben.',
  resetAction: 'Passwort ändern',

  setUpTitle: 'Willkommen',
  setUpText: (serviceName: string): string =>
    `Sie sind die erste Person hier und werden damit Betreiber von ${serviceName}: Sie betreiben den Dienst und legen seine Konten an.`,
  setUpAction: 'Einrichten',

  invitationTitle: (accountName: string): string => `${accountName} beitreten`,
  invitationText: (inviterName: string, accountName: string, role: string): string =>
    `${inviterName} hat Sie in das Konto ${accountName} eingeladen. Ihre Rolle: ${role}.`,
  invitationKnown: 'Sie haben hier schon ein Passwort. Geben Sie es zur Bestätigung ein.',
  invitationAction: 'Beitreten',

  checkingLink: 'Der Link wird geprüft …',
  linkMissingTitle: 'Der Link ist unvollständig',
  linkMissingText: 'Öffnen Sie den ganzen Link aus der E-Mail, auch den Teil nach dem #.',
} as const;
