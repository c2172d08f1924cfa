import { formatNumber } from './plural.ts';

/** A client's request limits. */
export const clientLimits = {
  perMinute: 'Anfragen pro Minute',
  burst: 'Kurzzeitige Spitze (Burst)',
  unlimited: 'Kein Limit',
  inForce: (value: number, source: string): string => `${formatNumber(value)} (${source})`,
  sources: {
    client: 'für diesen Client festgelegt',
    account: 'für das Konto festgelegt',
    service: 'Standard des Dienstes',
  },
  own: {
    requestsPerMinuteMax: 'Limit pro Minute für diesen Client',
    requestsBurstMax: 'Burst-Limit für diesen Client',
  },
  hint: (max: number): string =>
    `Optional: höchstens ${formatNumber(max)}. Bleibt das Feld leer, gilt dieser Wert.`,
  hintNew: 'Optional: Bleibt das Feld leer, gilt das Limit des Kontos.',
  hintUnlimited: 'Optional: Bleibt das Feld leer, gilt kein Limit.',
  notANumber: 'Geben Sie eine ganze Zahl von 1 bis 10.000.000 ein, oder lassen Sie das Feld leer.',
  tooHigh: (max: number): string =>
    `Geben Sie höchstens ${formatNumber(max)} ein. Mehr erlaubt das Konto einem einzelnen Client nicht.`,
} as const;
