import { findings as table } from '@countersign/explain';
import type { ReactElement } from 'react';

/** The title of a mistake; nothing for one that only a newer service knows. */
export function FindingTitle({ code }: { readonly code: string }): ReactElement | null {
  return Object.hasOwn(table, code) ? <>{table[code as keyof typeof table].title}</> : null;
}
