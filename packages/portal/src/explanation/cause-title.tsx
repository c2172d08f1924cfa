import { type ReactElement, Suspense } from 'react';
import { lazyPart } from '../session/lazy-part.ts';

const FindingTitle = lazyPart(async () => (await import('./finding-title.tsx')).FindingTitle);

interface CauseTitleProps {
  /** The mistake that was found; undefined if none was. */
  readonly findingCode: string | undefined;
  /** What the checks said. Also shown until the titles of mistakes are loaded. */
  readonly title: string;
}

/** Names why requests were rejected: by the mistake that was found, otherwise by what the checks said. */
export function CauseTitle({ findingCode, title }: CauseTitleProps): ReactElement {
  if (findingCode === undefined) return <>{title}</>;
  return (
    <Suspense fallback={title}>
      <FindingTitle code={findingCode} unknown={title} />
    </Suspense>
  );
}
