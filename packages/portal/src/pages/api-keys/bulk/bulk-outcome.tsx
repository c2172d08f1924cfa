import type { ClientsChange, ClientsChangeResult } from '@countersign/contract';
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { DialogButtons } from '../../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useAction } from '../../../components/use-action.ts';
import { isApiError } from '../../../api/api-error.ts';
import { clientBulk as t } from '#messages/client-bulk.ts';
import { type BulkChangeContent, type BulkRequest, undoOf } from './bulk-draft.ts';
import classes from './bulk.module.css';

interface BulkPreviewProps {
  readonly content: BulkChangeContent;
  readonly preview: ClientsChange;
  readonly onBack: () => void;
  readonly onApply: () => Promise<void>;
}

/** Shows what a change would do, and makes it. */
export function BulkPreview({ content, preview, onBack, onApply }: BulkPreviewProps): ReactElement {
  const isDisabling = content.action === 'disable';
  const subjects = subjectsOf(content);
  const { isBusy, error, run } = useAction(onApply);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy) void run();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {subjects !== '' && (
          <p className={classes.text}>
            {t.actions[content.action]}: <bdi className={classes.subjects}>{subjects}</bdi>
          </p>
        )}
        <Summary
          change={preview}
          changed={t.wouldChange(preview.changed)}
          failed={t.wouldFail(preview.failed)}
        />
        {isDisabling && preview.changed > 0 && <p className={classes.text}>{t.disableWarning}</p>}
        <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
        <DialogButtons
          label={t.apply(preview.changed)}
          cancelLabel={t.back}
          onCancel={onBack}
          isBusy={isBusy}
          isDisabled={preview.changed === 0}
          isDangerous={isDisabling}
        />
      </Stack>
    </form>
  );
}

/** Returns what is added or removed, as entered. */
function subjectsOf({ tags = [], roles = [], networkEntry }: BulkChangeContent): string {
  return [...tags, ...roles, ...(networkEntry ? [networkEntry.entry] : [])].join(', ');
}

interface BulkDoneProps {
  readonly content: BulkChangeContent;
  readonly done: ClientsChange;
  readonly onUndo: (body: BulkRequest) => Promise<ClientsChange>;
  readonly onClose: () => void;
}

/** Shows what a change did, and offers to undo it. */
export function BulkDone({ content, done, onUndo, onClose }: BulkDoneProps): ReactElement {
  const [undone, setUndone] = useState<ClientsChange>();
  const undo = undoOf(content, done);
  const { isBusy, error, run } = useAction(async () => {
    if (undo !== undefined) setUndone(await onUndo(undo));
  });
  return (
    <Stack gap="md">
      <div role="status">
        {undone === undefined ? (
          <Summary change={done} changed={t.changed(done.changed)} failed={t.failed(done.failed)} />
        ) : (
          <Summary change={undone} changed={t.undone(undone.changed)} failed={t.failed(undone.failed)} />
        )}
      </div>
      <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
      <Group justify="flex-end" gap="sm">
        {undo !== undefined && undone === undefined && (
          <Button variant="default" loading={isBusy} onClick={() => void run()}>
            {t.undo}
          </Button>
        )}
        <Button onClick={onClose} data-autofocus>
          {t.close}
        </Button>
      </Group>
    </Stack>
  );
}

interface SummaryProps {
  readonly change: ClientsChange;
  readonly changed: string;
  readonly failed: string;
}

function Summary({ change: { results, ...change }, changed, failed }: SummaryProps): ReactElement {
  const those = (outcome: ClientsChangeResult['outcome']): readonly ClientsChangeResult[] =>
    results.filter((result) => result.outcome === outcome);
  return (
    <Stack gap="sm">
      {change.changed > 0 ? (
        <Notice tone={change.isDryRun ? 'info' : 'success'} title={changed}>
          {change.unchanged > 0 && t.isUnchanged(change.unchanged)}
        </Notice>
      ) : (
        <Notice tone="neutral" title={t.nothing}>
          {change.unchanged > 0 && t.isUnchanged(change.unchanged)}
        </Notice>
      )}
      {change.failed > 0 && (
        <Notice tone="warning" title={failed}>
          <ul className={classes.results}>
            {those('failed').map(({ clientId, name, problem }) => (
              <li key={clientId}>
                <span className={classes.name}>{name ?? t.unknownClient}</span> {problem?.reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {change.changed > 0 && (
        <details className={classes.details}>
          <summary>{t.showChanged(change.changed)}</summary>
          <ul className={classes.results}>
            {those('changed').map(({ clientId, name }) => (
              <li key={clientId}>{name ?? clientId}</li>
            ))}
          </ul>
        </details>
      )}
    </Stack>
  );
}
