import type { Client, ClientDirectory } from '@countersign/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { type ReactElement, useEffect } from 'react';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { CopyableText } from '../../components/copyable-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useAction } from '../../components/use-action.ts';
import { clientDirectory as t } from '#messages/client-directory.ts';
import { formatNumber } from '#messages/plural.ts';

/** Shows the directory that a client's keys come from; nothing for a client with registered keys. */
export function DirectorySection({
  client: { clientId, directory, status },
}: {
  readonly client: Pick<Client, 'clientId' | 'directory' | 'status'>;
}): ReactElement | null {
  return directory === null ? null : (
    <ShownDirectory clientId={clientId} directory={directory} isFollowed={status !== 'revoked'} />
  );
}

interface ShownDirectoryProps {
  readonly clientId: string;
  readonly directory: ClientDirectory;
  /** False for a client whose directory is not fetched. */
  readonly isFollowed: boolean;
}

function ShownDirectory({ clientId, directory, isFollowed }: ShownDirectoryProps): ReactElement {
  const { url, lastAttemptAt, nextAttemptAt, lastSuccessAt, problem, keys, skipped } = directory;
  const change = useClientChange();
  const { isBusy, error, run } = useAction(() =>
    change(() => api.call('refreshDirectory', { path: { clientId } }), t.refreshed),
  );
  useReloadWhileDue(nextAttemptAt, isFollowed);
  const refresh = (
    <Permitted permission="keys:write">
      {(isDisabled) => (
        <Button
          size="xs"
          variant="default"
          leftSection={<RefreshCw size={14} aria-hidden />}
          disabled={isDisabled}
          loading={isBusy}
          onClick={() => void run()}
        >
          {t.refresh}
        </Button>
      )}
    </Permitted>
  );
  const facts: readonly Fact[] = [
    { label: t.url, value: <CopyableText value={url} label={t.url} /> },
    { label: t.lastAttempt, value: timeOf(lastAttemptAt) },
    { label: t.lastSuccess, value: timeOf(lastSuccessAt) },
    ...(isFollowed ? [{ label: t.nextAttempt, value: <RelativeTime at={nextAttemptAt} /> }] : []),
    ...(problem === null ? [] : [{ label: t.problem, value: problem }]),
    { label: t.keys, value: formatNumber(keys) },
    ...(Object.keys(skipped).length === 0 ? [] : [{ label: t.skipped, value: t.skippedEntries(skipped) }]),
  ];
  return (
    <Section title={t.title} description={t.description} actions={isFollowed ? refresh : undefined}>
      {error !== undefined && <ErrorNotice error={error} />}
      <Facts items={facts} width="wide" />
    </Section>
  );
}

/** Reloads the account's data after some seconds while a directory is due: no event says that it was fetched. */
function useReloadWhileDue(nextAttemptAt: string, isFollowed: boolean): void {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  useEffect(() => {
    if (!isFollowed || Date.parse(nextAttemptAt) > Date.now()) return undefined;
    const timer = setInterval(
      () => void queryClient.invalidateQueries({ queryKey: ['account', accountId] }),
      reloadEveryMs,
    );
    return () => clearInterval(timer);
  }, [queryClient, accountId, nextAttemptAt, isFollowed]);
}

const reloadEveryMs = 3000;

function timeOf(at: string | null): Fact['value'] {
  return at === null ? t.notYet : <RelativeTime at={at} />;
}
