import { readLocalTime } from '../components/time-words.ts';

/** The chosen end of a key. */
export type EndChoice =
  | { readonly kind: 'now' }
  | { readonly kind: 'hours'; readonly hours: number }
  /** The value of an `<input type="datetime-local">`, in the person's time zone. */
  | { readonly kind: 'at'; readonly local: string };

export type EndProblem = 'missing' | 'past' | 'far' | 'later' | 'earlier';

/** The end as RFC 3339 in UTC, or what is wrong with it. */
export type EndReading = { readonly endsAt: string } | { readonly problem: EndProblem };

interface EndLimits {
  readonly nowMs: number;
  readonly endDaysMax: number;
  /** The current end of the key, if it has one. */
  readonly presentEndsAt?: string | undefined;
  /** The side of the current end that the new one must be on. */
  readonly direction: 'earlier' | 'later';
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function readEnd(
  choice: EndChoice,
  { nowMs, endDaysMax, presentEndsAt, direction }: EndLimits,
): EndReading {
  const endMs =
    choice.kind === 'at'
      ? readLocalTime(choice.local)
      : choice.kind === 'hours'
        ? nowMs + choice.hours * hourMs
        : nowMs;
  if (Number.isNaN(endMs)) return { problem: 'missing' };
  if (choice.kind === 'now') return { endsAt: new Date(nowMs).toISOString() };
  if (endMs <= nowMs) return { problem: 'past' };
  if (endMs > nowMs + endDaysMax * dayMs) return { problem: 'far' };
  const presentMs = presentEndsAt === undefined ? undefined : Date.parse(presentEndsAt);
  if (presentMs !== undefined && direction === 'earlier' && endMs > presentMs) return { problem: 'later' };
  if (presentMs !== undefined && direction === 'later' && endMs <= presentMs) return { problem: 'earlier' };
  return { endsAt: new Date(endMs).toISOString() };
}
