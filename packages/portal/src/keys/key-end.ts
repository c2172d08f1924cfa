import type { Key } from '@countersign/contract';
import type { ClientView } from '../clients/client-view.ts';

/** When a key is to end, as it is chosen. */
export type EndChoice =
  | { readonly kind: 'now' }
  | { readonly kind: 'hours'; readonly hours: number }
  /** The text of an `<input type="datetime-local">`, in the time zone of the browser. */
  | { readonly kind: 'at'; readonly local: string };

/** What is wrong with a chosen end. */
export type EndProblem = 'missing' | 'past' | 'far' | 'later' | 'earlier';

/** A chosen end as RFC 3339 in UTC, or what is wrong with it. */
export type EndReading = { readonly endsAt: string } | { readonly problem: EndProblem };

/** The limits of a chosen end. */
export interface EndLimits {
  readonly nowMs: number;
  readonly endDaysMax: number;
  /** The end that the key has; undefined for none. */
  readonly presentEndsAt?: string | undefined;
  /** Whether the new end has to be before the present one, or after it. */
  readonly direction: 'earlier' | 'later';
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Reads a chosen end. `now` has no time of its own. */
export function readEnd(
  choice: EndChoice,
  { nowMs, endDaysMax, presentEndsAt, direction }: EndLimits,
): EndReading {
  const endMs =
    choice.kind === 'at'
      ? Date.parse(choice.local)
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

/** A time as the text of an `<input type="datetime-local">`, in the time zone of the browser, to the minute. */
export function localTimeText(timeMs: number): string {
  const local = new Date(timeMs - new Date(timeMs).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What a dialog about a key is given. */
export interface KeyDialogProps {
  readonly onClose: () => void;
  readonly keyShown: Key;
  readonly view: ClientView;
  /** What is chosen when the dialog opens. */
  readonly initialChoice?: EndChoice | undefined;
}
