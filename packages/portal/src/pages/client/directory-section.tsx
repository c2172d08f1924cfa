import type { Client } from '@countersign/contract';
import type { ReactElement } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { clientDirectory as t } from '../../messages/en/client-directory.ts';
import { formatNumber } from '../../messages/en/plural.ts';

/** Shows the directory that a client's keys come from; nothing for a client with registered keys. */
export function DirectorySection({
  directory,
}: {
  readonly directory: Client['directory'];
}): ReactElement | null {
  if (directory === null) return null;
  const { url, lastAttemptAt, lastSuccessAt, problem, keys, skipped } = directory;
  const facts: readonly Fact[] = [
    { label: t.url, value: <CopyableText value={url} label={t.url} /> },
    { label: t.lastAttempt, value: timeOf(lastAttemptAt) },
    { label: t.lastSuccess, value: timeOf(lastSuccessAt) },
    ...(problem === null ? [] : [{ label: t.problem, value: problem }]),
    { label: t.keys, value: formatNumber(keys) },
    ...(Object.keys(skipped).length === 0 ? [] : [{ label: t.skipped, value: t.skippedEntries(skipped) }]),
  ];
  return (
    <Section title={t.title} description={t.description}>
      <Facts items={facts} width="wide" />
    </Section>
  );
}

function timeOf(at: string | null): Fact['value'] {
  return at === null ? t.notYet : <RelativeTime at={at} />;
}
