import type { AlertConditionKind, AlertValue } from '@countersign/contract';
import { pageTitles } from './page-titles.ts';
import { formatNumber, formatPercent, plural } from './plural.ts';

/** What a condition measures, in a few words. */
function valueWords(
  kind: AlertConditionKind,
  { value, requests = 0 }: Pick<AlertValue, 'value' | 'requests'>,
): string {
  if (kind === 'failure_rate')
    return value === null
      ? 'keine Anfragen'
      : `${formatPercent(value / 100)} von ${plural(requests, 'Anfrage', 'Anfragen')}`;
  if (value === null) return 'noch keine Anfrage';
  switch (kind) {
    case 'no_requests':
      return value < 120
        ? plural(value, 'Minute', 'Minuten')
        : plural(Math.floor(value / 60), 'Stunde', 'Stunden');
    case 'key_due':
      return plural(value, 'Schlüssel', 'Schlüssel');
    case 'new_address':
      return plural(value, 'neue Adresse', 'neue Adressen');
    case 'rate_limited':
      return `${formatNumber(value)}-mal`;
  }
}

export const alerts = {
  title: pageTitles.alertRules,
  description:
    'Legen Sie fest, wann Sie erfahren, dass etwas in diesem Konto Ihre Aufmerksamkeit braucht, und auf welchem Weg.',
  list: 'Alarmregeln',
  add: 'Regel hinzufügen',
  toNotices: 'Hinweise',
  full: (max: number): string => `Ein Konto hat höchstens ${formatNumber(max)} Alarmregeln.`,
  empty: {
    title: 'Noch keine Alarmregeln',
    text: 'Fügen Sie eine Regel hinzu, um zu erfahren, wenn Anfragen fehlschlagen, ausbleiben, von einer neuen Adresse kommen oder das Anfragelimit erreichen, oder wenn ein Schlüssel fällig ist.',
    mayNot:
      'Es gibt noch keine Alarmregeln. Inhaber, Administratoren und Entwickler können welche hinzufügen.',
  },
  rule: 'Regel',
  state: 'Zustand',
  states: { firing: 'Alarm', ok: 'In Ordnung', off: 'Aus', inactive: 'Client nicht aktiv' },
  more: (count: number): string => `und ${formatNumber(count)} weitere`,
  keyEnds: (client: string, day: string): string => `${client}: ${day}`,
  addressOf: (client: string, address: string): string => `${client}: ${address}`,
  now: 'Jetzt',
  value: valueWords,
  lastFired: 'Letzter Alarm',
  never: 'Noch nie',
  channels: 'Gemeldet über',
  channelNames: { inInbox: 'Posteingang', byMail: 'E-Mail', byWebhook: 'Webhooks' },
  kinds: {
    failure_rate: 'Fehlgeschlagene Anfragen',
    no_requests: 'Keine Anfragen',
    key_due: 'Fälliger Schlüssel',
    new_address: 'Neue Adresse',
    rate_limited: 'Anfragelimit erreicht',
  },
  form: {
    addTitle: 'Alarmregel hinzufügen',
    updateTitle: 'Alarmregel ändern',
    back: pageTitles.alertRules,
    mayNotTitle: 'Ihre Rolle kann keine Alarmregeln hinzufügen oder ändern',
    watch: 'Was beobachtet wird',
    name: 'Name',
    nameHint: 'Steht in den Alarmen. Zum Beispiel: Auszahlungen schlagen fehl.',
    nameWrong: 'Geben Sie einen Namen mit 1 bis 100 Zeichen ein.',
    kind: 'Bedingung',
    client: 'Client',
    allClients: 'Alle Clients',
    noClientFound: 'Keine Treffer',
    percentAbove: 'Mehr als (Prozent)',
    timesAbove: 'Öfter als (Mal)',
    requestsMin: 'Von mindestens (Anfragen)',
    minutes: 'Innerhalb von (Minuten)',
    silentFor: 'Dauer',
    unit: 'Einheit',
    units: { minutes: 'Minuten', hours: 'Stunden', days: 'Tage' },
    days: 'Innerhalb von (Tagen)',
    wrong: (min: number, max: number): string =>
      `Geben Sie eine ganze Zahl von ${formatNumber(min)} bis ${formatNumber(max)} ein.`,
    durationWrong: 'Geben Sie eine ganze Zahl ein, von 5 Minuten bis 30 Tagen.',
    incomplete: 'Vervollständigen Sie die Bedingung, um die Regel als Satz zu sehen.',
    sentence: 'Die Regel',
    preview: (value: string, isMet: boolean): string =>
      isMet
        ? `Jetzt: ${value}. Diese Regel würde Alarm schlagen.`
        : `Jetzt: ${value}. Diese Regel würde keinen Alarm schlagen.`,
    previewLoading: 'Wird gemessen …',
    ends: {
      failure_rate: 'Der Alarm endet, wenn die Bedingung 10 Minuten lang nicht erfüllt war.',
      no_requests: 'Der Alarm endet mit der nächsten angenommenen Anfrage.',
      key_due: 'Der Alarm endet, wenn ein anderer Schlüssel ihn ersetzt oder der Schlüssel abläuft.',
      new_address:
        'Der Alarm endet nach einem Tag. Die Adressen des ersten Tages eines Clients werden gelernt und lösen keinen Alarm aus.',
      rate_limited: 'Der Alarm endet, wenn die Bedingung 10 Minuten lang nicht erfüllt war.',
    },
    tell: 'Wie gemeldet wird',
    channelHints: {
      inInbox:
        'Mitglieder sehen den Alarm unter Hinweise, außer sie haben Alarme in ihrem Profil abgeschaltet.',
      byMail: 'Mitglieder erhalten eine E-Mail, außer sie haben Alarme in ihrem Profil abgeschaltet.',
      byWebhook: 'Sendet alert.fired und alert.resolved an die Webhooks, die sie empfangen.',
    },
    noChannel: 'Wählen Sie mindestens einen Weg.',
    isEnabled: 'Eingeschaltet',
    isEnabledHint: 'Eine ausgeschaltete Regel findet nichts, und ihre Alarme enden.',
    add: 'Regel hinzufügen',
    update: 'Speichern',
    nothingChanged: 'Es hat sich nichts geändert.',
    added: 'Die Regel wurde hinzugefügt',
    updated: 'Die Regel wurde geändert',
    yes: 'Ja',
    no: 'Nein',
  },
  remove: {
    action: 'Regel löschen',
    title: 'Diese Regel löschen?',
    text: 'Ihre Alarme enden, und niemand erhält weitere. Frühere Hinweise bleiben erhalten.',
    done: 'Die Regel wurde gelöscht',
  },
} as const;
