/** The field for the time when a new key expires. */
export const keyExpiry = {
  label: 'Schlüssel läuft ab (optional)',
  hint: (zone: string): string =>
    `In Ihrer Zeitzone ${zone}. Lassen Sie das Feld leer, wenn der Schlüssel nicht ablaufen soll.`,
  past: 'Wählen Sie einen Zeitpunkt in der Zukunft.',
  withoutKey: 'Geben Sie den öffentlichen Schlüssel ein, der dann abläuft.',
} as const;
