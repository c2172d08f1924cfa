import { findingTitle } from '#messages/findings.ts';
import type { ReactElement } from 'react';

interface FindingTitleProps {
  readonly code: string;
  /** Stands for a mistake that only a newer service knows. */
  readonly unknown: string;
}

/** The title of a mistake. */
export function FindingTitle({ code, unknown }: FindingTitleProps): ReactElement {
  return <>{findingTitle(code) ?? unknown}</>;
}
