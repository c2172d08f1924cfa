import type { Alert, AlertCondition } from '@countersign/contract';
import { formatPercent, plural } from './plural.ts';

type Shown = Pick<Alert, 'value' | 'requests' | 'sourceAddress'> & { readonly condition: AlertCondition };

/** Sentences about alert rules, for the rules and the inbox. */
export const alertWords = {
  /** Reads a rule back. */
  rule: ({ kind, ...limits }: AlertCondition, client: string | undefined): string => {
    const { percentAbove = 0, timesAbove = 0, requestsMin = 0, minutes = 0, days = 0 } = limits;
    const of = client === undefined ? 'aller Clients' : `von ${client}`;
    switch (kind) {
      case 'failure_rate':
        return `Melden, wenn mehr als ${formatPercent(percentAbove / 100)} von mindestens ${plural(requestsMin, 'Anfrage', 'Anfragen')} ${of} innerhalb von ${minutesText(minutes)} fehlschlagen.`;
      case 'no_requests':
        return `Melden, wenn ${minutesText(minutes, 'accusative')} lang keine Anfrage ${client === undefined ? 'irgendeines Clients' : of} angenommen wurde.`;
      case 'key_due':
        return `Melden, wenn ein Schlüssel ${client === undefined ? 'eines Clients' : of} innerhalb von ${daysText(days)} abläuft oder das Höchstalter erreicht und kein anderer ihn ersetzt.`;
      case 'new_address':
        return `Melden, wenn eine Anfrage ${client === undefined ? 'eines Clients' : of} von einer Adresse angenommen wird, die der Client 90 Tage lang nicht benutzt hat.`;
      case 'rate_limited':
        return `Melden, wenn ${client === undefined ? 'die Clients das Anfragelimit' : `${client} das Anfragelimit`} innerhalb von ${minutesText(minutes)} mehr als ${plural(timesAbove, 'Mal', 'Mal')} ${client === undefined ? 'erreichen' : 'erreicht'}.`;
    }
  },
  /** What was found when it fired. */
  found: ({ condition: { kind, minutes = 0 }, value, requests = 0, sourceAddress = '' }: Shown): string => {
    const count = value ?? 0;
    switch (kind) {
      case 'failure_rate':
        return `${formatPercent(count / 100)} von ${plural(requests, 'Anfrage', 'Anfragen')} schlugen innerhalb von ${minutesText(minutes)} fehl`;
      case 'no_requests':
        return `Seit ${minutesText(count)} keine angenommene Anfrage`;
      case 'key_due':
        return `Ein Schlüssel läuft in ${daysText(count)} ab`;
      case 'new_address':
        return `Eine Anfrage kam von der neuen Adresse ${sourceAddress}`;
      case 'rate_limited':
        return `Das Anfragelimit wurde innerhalb von ${minutesText(minutes)} ${plural(count, 'Mal', 'Mal')} erreicht`;
    }
  },
} as const;

/** Says a number of minutes in the largest unit that fits: `2 Stunden`, in the dative `2 Tagen`. */
function minutesText(minutes: number, grammar: 'dative' | 'accusative' = 'dative'): string {
  const isWhole = (unit: number): boolean => minutes >= unit && minutes % unit === 0;
  if (isWhole(1440) || minutes > 2880) return daysText(Math.floor(minutes / 1440), grammar);
  const hours = isWhole(60) || minutes > 120;
  if (hours) return plural(Math.floor(minutes / 60), 'Stunde', 'Stunden');
  return plural(minutes, 'Minute', 'Minuten');
}

function daysText(days: number, grammar: 'dative' | 'accusative' = 'dative'): string {
  return plural(days, 'Tag', grammar === 'dative' ? 'Tagen' : 'Tage');
}
