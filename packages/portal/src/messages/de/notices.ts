import { formatNumber, plural } from './plural.ts';

export const notices = {
  title: 'Hinweise',
  description:
    'Was in diesem Konto geschehen ist und Ihre Aufmerksamkeit brauchen könnte. Hinweise werden 90 Tage aufbewahrt.',
  list: 'Hinweise, neueste zuerst',
  markAll: 'Alle als gelesen markieren',
  markRead: 'Als gelesen markieren',
  allRead: 'Alle Hinweise sind als gelesen markiert',
  unread: 'Neu',
  toPreferences: 'Einstellungen',
  kind: 'Art',
  anyKind: 'Alle Arten',
  show: 'Anzeigen',
  shows: { all: 'Gelesene und ungelesene', unread: 'Ungelesene' },
  noneTitle: 'Keine Hinweise',
  noneText:
    'Hier erscheinen fällige Schlüssel, abgelehnte Anfragen und Änderungen am Team und an den Richtlinien.',
  noneUnreadTitle: 'Sie haben alles gelesen',
  noneUnreadText: 'Neue Hinweise erscheinen hier von selbst.',
  kinds: {
    key_due: {
      title: 'Fällige Schlüssel',
      text: 'Ein Schlüssel sollte gewechselt werden, oder er läuft ab, ohne dass ein anderer ihn ersetzt.',
    },
    first_failure: {
      title: 'Erste Fehlschläge',
      text: 'Eine Anfrage eines Clients wird nach mindestens einem Tag ohne Ablehnungen oder aus einem anderen Grund als bisher abgelehnt.',
    },
    refused_address: {
      title: 'Abgelehnte Adressen',
      text: 'Eine signierte Anfrage kommt von einer Adresse, die nicht auf der Netzwerk-Whitelist steht.',
    },
    rate_limited: {
      title: 'Anfragelimits',
      text: 'Ein Client überschreitet sein Anfragelimit, nachdem er es mindestens einen Tag lang eingehalten hat.',
    },
    webhook_failing: {
      title: 'Gestörte Webhooks',
      text: 'Alle Zustellungen an einen Webhook scheitern seit einem Tag oder seit vier Tagen. Nach fünf Tagen wird er deaktiviert.',
    },
    stream_stalled: {
      title: 'Stockende Streams',
      text: 'Der Empfänger eines Streams des Dienstes bestätigt seit Minuten nichts.',
    },
    alert: {
      title: 'Alarme',
      text: 'Eine Alarmregel des Kontos schlägt an, oder ihr Alarm endet.',
    },
    change_waiting: {
      title: 'Ausstehende Änderungen',
      text: 'Jemand möchte eine Änderung vornehmen, die auf eine zweite Person wartet.',
    },
    team_changed: {
      title: 'Änderungen am Team',
      text: 'Jemand wird eingeladen, tritt bei, erhält eine andere Rolle oder scheidet aus.',
    },
    policy_changed: {
      title: 'Änderungen an Richtlinien',
      text: 'Eine Netzwerk-Whitelist, eine Rolle, ein Limit, eine Sicherheitsrichtlinie oder eine Kontoeinstellung ändert sich.',
    },
  },
  keys: {
    rotation_due: 'Ein Schlüssel sollte bald gewechselt werden',
    rotation_overdue: 'Ein Schlüsselwechsel ist überfällig',
    expires_in_week: 'Ein Schlüssel läuft innerhalb einer Woche ab',
    expires_in_day: 'Ein Schlüssel läuft innerhalb eines Tages ab',
  },
  streamStalled: (stream: string): string => `Der Stream ${stream} stockt`,
  streamSince: (source: 'audit' | 'requests', since: string): string =>
    `Aus dem ${source === 'audit' ? 'Audit-Log' : 'Anfrage-Log'} wurde seit ${since} nichts bestätigt.`,
  streamAdvice:
    'Prüfen Sie den Empfänger. Der Dienst versucht es weiter und sendet, was wartet, sobald der Empfänger wieder bestätigt.',
  streamRecovered: (since: string): string => `Wieder empfangen seit ${since}`,
  keyDue: (day: string): string => `Fällig am ${day}`,
  failures: (count: number): string =>
    count === 1
      ? 'Eine Anfrage wurde abgelehnt'
      : `${plural(count, 'Anfrage wurde', 'Anfragen wurden')} abgelehnt`,
  addresses: (count: number): string =>
    count === 1
      ? 'Eine Anfrage kam von einer Adresse, die nicht auf der Netzwerk-Whitelist steht'
      : `${plural(count, 'Anfrage kam', 'Anfragen kamen')} von Adressen, die nicht auf der Netzwerk-Whitelist stehen`,
  limited: (count: number): string =>
    count === 1
      ? 'Eine Anfrage hat das Anfragelimit überschritten'
      : `${plural(count, 'Anfrage hat', 'Anfragen haben')} das Anfragelimit überschritten`,
  limit: (perMinute: number, burst: number): string =>
    `${plural(perMinute, 'Anfrage', 'Anfragen')} pro Minute, kurzzeitig bis zu ${formatNumber(burst)} auf einmal`,
  recovered: (since: string): string => `Seit ${since} wieder angenommen`,
  webhookFailing: {
    one_day: 'Ein Webhook ist seit einem Tag gestört',
    four_days: 'Ein Webhook ist seit vier Tagen gestört und wird bald deaktiviert',
  },
  alertAt: (since: string): string => `Seit ${since}`,
  alertEnded: (since: string, end: string): string => `${since} bis ${end}`,
  unproved: 'Die Signatur war nicht gültig, die Anfrage kann also von jedem stammen.',
  from: (address: string): string => `von ${address}`,
  change: 'Eine Einstellung wurde geändert',
  moreChanges: (count: number): string =>
    `und ${plural(count, 'weitere Änderung dieser Art', 'weitere Änderungen dieser Art')} innerhalb einer Stunde`,
  open: {
    pending: 'Ausstehende Änderungen',
    keys: 'Schlüssel',
    network: 'Netzwerk-Whitelist',
    request: 'Anfrage',
    rules: 'Alarmregeln',
    audit: 'Audit-Log',
  },
  preferencesTitle: 'Hinweise',
  preferencesText:
    'Für alle Ihre Konten. Sie erhalten höchstens alle 15 Minuten eine E-Mail mit allen neuen Hinweisen.',
  noMail: 'Dieser Dienst hat keinen Mailserver und sendet deshalb keine E-Mails.',
  inInbox: 'Posteingang',
  byMail: 'E-Mail',
  preferenceOf: (kind: string, how: string): string => `${kind}: ${how}`,
} as const;
