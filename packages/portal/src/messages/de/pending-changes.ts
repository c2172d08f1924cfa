import { pageTitles } from './page-titles.ts';

/** Names what a pending change would do, from what it would change. */
interface Asked {
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly newName: string;
}

export const pendingChanges = {
  title: pageTitles.pendingChanges,
  description: 'Änderungen, die eine zweite Person freigeben muss. Sie verfallen nach sieben Tagen.',
  list: 'Änderungen, neueste zuerst',
  show: 'Anzeigen',
  shows: { waiting: 'Ausstehende', all: 'Alle der letzten 90 Tage' },
  noneTitle: 'Nichts steht aus',
  noneText: 'Hier erscheinen Änderungen, die eine zweite Person freigeben muss.',
  asked: {
    addClient: ({ newName }: Asked): string => `Client ${newName} hinzufügen`,
    updateClient: ({ name }: Asked): string => `${name} mehr Berechtigungen geben`,
    revokeClient: ({ name }: Asked): string => `${name} und alle Schlüssel widerrufen`,
    addNetworkEntry: ({ name }: Asked): string => `Netzwerk-Whitelist von ${name} öffnen`,
    replaceNetworkWhitelist: ({ name }: Asked): string => `Netzwerk-Whitelist von ${name} öffnen`,
    retireKey: ({ name }: Asked): string => `Einen Schlüssel von ${name} beenden`,
    revokeKey: ({ name }: Asked): string => `Einen Schlüssel von ${name} widerrufen`,
    updateRole: ({ name }: Asked): string => `Die Rolle ${name} erweitern`,
    changeMember: ({ name, role }: Asked): string => `${name} die Rolle ${role} geben`,
    inviteMember: ({ email, role }: Asked): string => `${email} als ${role} einladen`,
    updateSecurityPolicy: (): string => 'Die Freigabe durch eine zweite Person ausschalten',
  } as Readonly<Record<string, (asked: Asked) => string>>,
  other: (operation: string, { name }: Asked): string => `${operation}: ${name}`,
  requestedBy: (name: string): string => `Beantragt von ${name}`,
  actingFor: (reason: string): string => `im Namen dieses Kontos: „${reason}“`,
  expires: 'Verfällt',
  statuses: {
    waiting: 'Steht aus',
    approved: 'Freigegeben',
    rejected: 'Abgelehnt',
    withdrawn: 'Zurückgezogen',
    expired: 'Verfallen',
    failed: 'Gescheitert',
  },
  decidedBy: (name: string): string => `von ${name}`,
  reason: 'Begründung',
  approve: 'Freigeben',
  reject: 'Ablehnen',
  withdraw: 'Zurückziehen',
  own: 'Sie haben das beantragt. Jemand anders muss es freigeben.',
  notYours: 'Ihre Rolle darf über diese Änderung nicht entscheiden.',
  approveTitle: 'Diese Änderung freigeben?',
  approveText:
    'Die Änderung wird sofort ausgeführt, im Namen der Person, die sie beantragt hat. Das Audit-Log zeigt beide Namen.',
  rejectTitle: 'Diese Änderung ablehnen?',
  rejectText: 'Wer die Änderung beantragt hat, kann Ihre Begründung lesen.',
  reasonMissing: 'Geben Sie eine Begründung ein.',
  withdrawTitle: 'Diese Änderung zurückziehen?',
  withdrawText: 'Danach kann sie niemand mehr freigeben. Sie können sie noch einmal beantragen.',
  approved: 'Die Änderung wurde freigegeben und ausgeführt',
  rejected: 'Die Änderung wurde abgelehnt',
  withdrawn: 'Die Änderung wurde zurückgezogen',
  states: {
    active: 'aktiv',
    disabled: 'deaktiviert',
    revoked: 'widerrufen',
    pending: 'noch nicht benutzt',
    retiring: 'ausgemustert',
    expired: 'abgelaufen',
  },
  members: {
    name: 'Name',
    roles: 'Rollen',
    role: 'Rolle',
    email: 'E-Mail-Adresse',
    entries: 'Netzwerk-Whitelist',
    status: 'Status',
    permissions: 'Berechtigungen',
    endsAt: 'läuft ab',
    reason: 'Grund',
    keysEnded: 'Schlüssel, die enden',
  },
} as const;
