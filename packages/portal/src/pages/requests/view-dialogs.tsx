import { isReadableName, type SavedView } from '@countersign/contract';
import { Checkbox, Modal, Stack, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog, DialogButtons } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { notify } from '../../components/notify.ts';
import { useReturnFocus } from '../../components/use-return-focus.ts';
import { savedViews as t } from '#messages/saved-views.ts';
import { type RequestFilters, requestFiltersQuery } from '../../requests/request-filters.ts';

/** What a dialog does with a view. */
export type ViewTask =
  | { readonly kind: 'save' }
  | { readonly kind: 'rename'; readonly view: SavedView }
  | { readonly kind: 'remove'; readonly view: SavedView };

interface ViewDialogsProps {
  readonly task: ViewTask;
  readonly filters: RequestFilters;
  readonly onSaved: (view: SavedView) => void;
  readonly onClose: () => void;
}

export function ViewDialogs({ task, filters, onSaved, onClose }: ViewDialogsProps): ReactElement {
  useReturnFocus(true);
  if (task.kind === 'remove') return <RemoveDialog view={task.view} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={task.kind === 'save' ? t.saveTitle : t.renameTitle} size="md">
      {task.kind === 'save' ? (
        <SaveForm filters={filters} onSaved={onSaved} onClose={onClose} />
      ) : (
        <RenameForm view={task.view} onClose={onClose} />
      )}
    </Modal>
  );
}

function SaveForm({ filters, onSaved, onClose }: Omit<ViewDialogsProps, 'task'>): ReactElement {
  const add = useApiMutation('addSavedView');
  return (
    <ViewForm
      initialName=""
      canShare
      onSend={async (name, isShared) => {
        const query = requestFiltersQuery(filters).toString();
        const view = await add.mutateAsync({ body: { name, query, isShared } });
        onSaved(view);
        notify.success(t.saved(view.name));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

interface OneViewProps {
  readonly view: SavedView;
  readonly onClose: () => void;
}

function RenameForm({ view: { savedViewId, name: before }, onClose }: OneViewProps): ReactElement {
  const update = useApiMutation('updateSavedView');
  return (
    <ViewForm
      initialName={before}
      canShare={false}
      onSend={async (name) => {
        await update.mutateAsync({ path: { savedViewId }, body: { name } });
        notify.success(t.saved(name));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

interface ViewFormProps {
  readonly initialName: string;
  readonly canShare: boolean;
  readonly onSend: (name: string, isShared: boolean) => Promise<void>;
  readonly onClose: () => void;
}

function ViewForm({ initialName, canShare, onSend, onClose }: ViewFormProps): ReactElement {
  const form = useForm<{ readonly name: string; readonly isShared: boolean }>({
    id: 'view',
    initialValues: { name: initialName, isShared: false },
    validate: ({ name }) => ({ name: isReadableName(name.trim()) ? undefined : t.nameInvalid }),
    // A name that the form accepts is rejected only if it is taken.
    place: (error) =>
      isApiError(error, 'body_invalid') && error.errors.some(({ pointer }) => pointer === '/name')
        ? { name: t.nameTaken }
        : undefined,
  });
  return (
    <form onSubmit={form.submit(({ name, isShared }) => onSend(name.trim(), isShared))} noValidate>
      <Stack gap="lg">
        <TextInput {...form.field('name')} label={t.name} autoComplete="off" data-autofocus required />
        {canShare && (
          <Checkbox
            label={t.shareLabel}
            checked={form.values.isShared}
            onChange={(event) => form.set('isShared', event.currentTarget.checked)}
          />
        )}
        <ErrorNotice error={form.failure} />
        <DialogButtons label={t.save} onCancel={onClose} isBusy={form.isBusy} />
      </Stack>
    </form>
  );
}

function RemoveDialog({ view: { savedViewId, name, isShared }, onClose }: OneViewProps): ReactElement {
  const remove = useApiMutation('removeSavedView');
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.removeTitle(name)}
      confirmLabel={t.removeLabel}
      isDangerous
      onConfirm={async () => {
        await remove.mutateAsync({ path: { savedViewId } });
        notify.success(t.removed(name));
      }}
    >
      {isShared && <p>{t.removeSharedText}</p>}
      <p>{t.removeText}</p>
    </ConfirmDialog>
  );
}
