import { formatNumber } from './plural.ts';

/** The request limits on a client's page. */
export const clientLimits = {
  title: 'Anfragelimits',
  description:
    'Anfragen über den Limits werden mit 429 abgelehnt. Der Client kann sie später noch einmal senden.',
  perMinute: 'Anfragen pro Minute',
  burst: 'Kurzzeitige Spitze (Burst)',
  unlimited: 'Kein Limit',
  inForce: (value: number, source: string): string => `${formatNumber(value)} (${source})`,
  sources: {
    client: 'für diesen Client festgelegt',
    account: 'für das Konto festgelegt',
    service: 'Standard des Dienstes',
  },
  ownPerMinute: 'Limit pro Minute für diesen Client',
  ownBurst: 'Burst-Limit für diesen Client',
  hint: (max: number): string =>
    `Optional: höchstens ${formatNumber(max)}. Bleibt das Feld leer, gilt dieser Wert.`,
  hintUnlimited: 'Optional: Bleibt das Feld leer, gilt kein Limit.',
  notANumber: 'Geben Sie eine ganze Zahl von 1 bis 10.000.000 ein, oder lassen Sie das Feld leer.',
  tooHigh: (max: number): string =>
    `Geben Sie höchstens ${formatNumber(max)} ein. Mehr erlaubt das Konto einem einzelnen Client nicht.`,
  save: 'Limits speichern',
  saved: (name: string): string => `Die Limits für ${name} wurden gespeichert`,
} as const;
