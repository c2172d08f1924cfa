import { useSyncExternalStore } from 'react';
import { keepOnDevice, readFromDevice } from './device-storage.ts';

/** How a person wants to read times. `language`: as the language of the page has it. */
export interface TimeForm {
  /** The browser's time zone, or the name of another one (IANA). */
  readonly zone: string;
  readonly date: DateForm;
  readonly clock: ClockForm;
}

export const dateForms = ['language', 'iso', 'words', 'slashes', 'month-first', 'dots'] as const;
export type DateForm = (typeof dateForms)[number];

export const clockForms = ['language', '24', '12'] as const;
export type ClockForm = (typeof clockForms)[number];

/** Stands for the browser's own time zone, which can change on a journey. */
export const browserZone = 'browser';

const usual: TimeForm = { zone: browserZone, date: 'language', clock: 'language' };

const storageName = 'countersign-time-form';
const listeners = new Set<() => void>();
let chosen: TimeForm | undefined;

/** Returns how times are written in this browser. The language is kept in the same way. */
export function timeForm(): TimeForm {
  return (chosen ??= readKept());
}

/** Rerenders when the person chooses another form. */
export function useTimeForm(): TimeForm {
  return useSyncExternalStore(listen, timeForm);
}

/** Changes the form for every time that is written from now on, and keeps it in this browser. */
export function chooseTimeForm(next: TimeForm): void {
  chosen = next;
  keepOnDevice(storageName, JSON.stringify(next));
  for (const tell of listeners) tell();
}

/** Returns the time zone to write times in. */
export function shownZone({ zone }: TimeForm = timeForm()): string {
  return zone === browserZone ? zoneOfBrowser() : zone;
}

export function zoneOfBrowser(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** Others can write to the storage too, and another version may know other forms. */
function readKept(): TimeForm {
  try {
    const kept = JSON.parse(readFromDevice(storageName) ?? '{}') as Readonly<Record<string, unknown>> | null;
    return {
      zone: isZone(kept?.['zone']) ? kept['zone'] : usual.zone,
      date: dateForms.find((form) => form === kept?.['date']) ?? usual.date,
      clock: clockForms.find((form) => form === kept?.['clock']) ?? usual.clock,
    };
  } catch {
    return usual;
  }
}

function isZone(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  // Throws for a zone that the browser does not know.
  if (value !== browserZone) new Intl.DateTimeFormat('en', { timeZone: value }).format();
  return true;
}
