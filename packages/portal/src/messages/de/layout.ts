import { formatNumber } from './plural.ts';

export const layout = {
  notices: (unread: number): string =>
    unread === 0 ? 'Hinweise' : `Hinweise, ${formatNumber(unread)} ungelesen`,
  pendingChanges: (count: number): string =>
    count === 1 ? '1 Änderung wartet' : `${formatNumber(count)} Änderungen warten`,
  manyNotices: '99+',
  confirmIdentity: 'Identität bestätigen',
  skipToContent: 'Zum Inhalt springen',
  side: 'Konto und Seiten',
  navigation: 'Hauptnavigation',
  openNavigation: 'Navigation öffnen',
  closeNavigation: 'Navigation schließen',
  groups: {
    integrations: 'Integrationen',
    logs: 'Logs',
    settings: 'Einstellungen',
    operator: 'Betreiber',
  },
  profile: 'Mein Profil',
  switchAccount: 'Konto wechseln',
  yourAccounts: 'Ihre Konten',
  actingFor: 'In Vertretung',
  roleNames: {
    owner: 'Inhaber',
    admin: 'Administrator',
    developer: 'Entwickler',
    viewer: 'Betrachter',
    'account-manager': 'Kundenbetreuer',
    operator: 'Betreiber',
  },
  personMenu: 'Ihr Menü',
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  colorScheme: 'Darstellung',
  light: 'Hell',
  dark: 'Dunkel',
  system: 'System',
  language: 'Sprache',
  sessionEnding: {
    title: 'Sie werden bald abgemeldet',
    idle: 'Ihre Sitzung endet in weniger als zwei Minuten, weil Sie eine Weile nichts getan haben. Klicken Sie oder drücken Sie eine Taste, um angemeldet zu bleiben.',
    over: 'Ihre Sitzung endet in weniger als zwei Minuten. Melden Sie sich danach neu an, um weiterzuarbeiten.',
    kept: 'Ihre Eingaben auf dieser Seite bleiben erhalten.',
    stay: 'Angemeldet bleiben',
  },
  actingBanner: (account: string): string => `Sie handeln im Namen von ${account}`,
  actingReason: (reason: string): string => `Grund: ${reason}`,
  actingUntil: (time: string): string => `bis ${time}`,
  actingNote: 'Alles, was Sie ändern, steht unter Ihrem Namen im Audit-Log des Kontos.',
  endActing: 'Zugriff beenden',
  actingEnded: 'Sie handeln nicht mehr im Namen dieses Kontos',
  demonstration: 'Demo: Die Daten sind erfunden und können gelöscht werden.',
  accountStates: {
    suspended: {
      title: 'Dieses Konto ist gesperrt',
      text: 'Alle Anfragen seiner Clients werden abgelehnt, und es lässt sich nichts ändern, bis der Betreiber das Konto entsperrt.',
    },
    closed: {
      title: 'Dieses Konto ist geschlossen',
      text: 'Seine Clients und Schlüssel wurden widerrufen. Seine Anfragen und das Audit-Log können Sie weiterhin lesen.',
    },
  },
  accountStateReason: (reason: string): string => `Grund: ${reason}`,
  loading: 'Wird geladen',
  loadFailed: 'Das Portal konnte nicht geladen werden',
  pageFailedTitle: 'Diese Seite ist abgestürzt',
  pageFailedText:
    'Alles, was Sie gespeichert haben, ist sicher. Laden Sie die Seite neu. Wenn sie wieder abstürzt, wenden Sie sich an den Support.',
  loadAgain: 'Neu laden',
  newVersionTitle: 'Eine neue Version des Portals ist verfügbar',
  newVersionText:
    'Ein Teil dieser Seite konnte nicht geladen werden, wahrscheinlich weil das Portal aktualisiert wurde.',
  notFoundTitle: 'Seite nicht gefunden',
  notFoundText: 'Vielleicht ist die Adresse falsch, oder die Seite ist umgezogen.',
  toOverview: 'Zur Übersicht',
  noAccountTitle: 'Sie sind in keinem Konto Mitglied',
  noAccountText:
    'Lassen Sie sich vom Inhaber eines Kontos einladen. Ihr Profil können Sie schon jetzt bearbeiten.',
  blockedTitle: (account: string): string => `${account} ist von hier aus nicht nutzbar`,
  blockedText: (address: string): string =>
    `Dieses Konto lässt seine Mitglieder nur aus bestimmten Netzen zu, und ${address === '' ? 'Ihre Adresse ist unbekannt' : `Ihre Adresse ist ${address}`}. Nutzen Sie ein erlaubtes Netz, zum Beispiel das Ihres Büros oder Ihr VPN, oder lassen Sie einen Inhaber oder Administrator Ihre Adresse hinzufügen. Ihr Profil und Ihre anderen Konten können Sie weiter nutzen.`,
  blockedActing: (address: string): string =>
    `Um für Kunden zu handeln, brauchen Sie ein Netz, das das Konto des Betreibers erlaubt, und ${address === '' ? 'Ihre Adresse ist unbekannt' : `Ihre Adresse ist ${address}`}.`,
  secondFactorTitle: 'Sichern Sie zuerst Ihre Anmeldung ab',
  secondFactorText: (account: string): string =>
    `${account} verlangt einen zweiten Faktor. Fügen Sie Ihrem Profil eine Authenticator-App oder einen Passkey hinzu. Das dauert eine Minute.`,
  secondFactorAction: 'Jetzt einrichten',
  leaveTitle: 'Ohne Speichern verlassen?',
  leaveText: 'Ihre Eingaben auf dieser Seite sind nicht gespeichert.',
  leave: 'Ohne Speichern verlassen',
  stay: 'Auf dieser Seite bleiben',
} as const;
