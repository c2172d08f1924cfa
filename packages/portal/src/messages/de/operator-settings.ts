import { pageTitles } from './page-titles.ts';

export const operatorSettings = {
  title: pageTitles.operatorSettings,
  description:
    'Die Einstellungen, die auf dem Knoten gelten, der diese Seite ausliefert. Geheimnisse werden nie angezeigt.',
  list: 'Geltende Einstellungen',
  search: 'Suche',
  searchPlaceholder: 'Name, Variable oder Beschreibung',
  changedOnly: 'Nur konfigurierte Einstellungen',
  name: 'Einstellung',
  value: 'Wert',
  empty: 'Nicht gesetzt',
  source: 'Quelle',
  sources: { environment: 'Umgebung', file: 'Konfigurationsdatei', default: 'Standardwert' },
  help: 'Beschreibung',
  noneTitle: 'Keine passenden Einstellungen',
  noneText: 'Suchen Sie nach einem Teil des Namens oder der Beschreibung.',
} as const;
