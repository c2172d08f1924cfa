import { type BulkAction, bulkActions, clientLabelLimits, clientRolesMax } from '@countersign/contract';
import { MultiSelect, Stack, TagsInput, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import { DialogButtons } from '../../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { type Form, useForm } from '../../../components/form.tsx';
import { clientBulk as t } from '#messages/client-bulk.ts';
import { type BulkDraft, bulkMistakes } from './bulk-draft.ts';

interface BulkFieldsProps {
  readonly action: BulkAction;
  readonly draft: BulkDraft;
  readonly onPreview: (draft: BulkDraft) => Promise<void>;
  readonly onCancel: () => void;
}

const rolesShownMax = 100;

/** Asks what to add or remove. */
export function BulkFields({ action, draft, onPreview, onCancel }: BulkFieldsProps): ReactElement {
  const form = useForm<BulkDraft>({
    initialValues: draft,
    validate: (values) => bulkMistakes(action, values),
    place: ({ errors }) => {
      const [first] = errors;
      const field = Object.entries(fieldOfPointer).find(([start]) => first?.pointer.startsWith(start))?.[1];
      return field === undefined || first === undefined ? undefined : { [field]: first.detail };
    },
  });
  return (
    <form onSubmit={form.submit(onPreview)} noValidate>
      <Stack gap="md">
        <ChangeFields action={action} form={form} />
        <ErrorNotice error={form.failure} />
        <DialogButtons label={t.preview} onCancel={onCancel} isBusy={form.isBusy} />
      </Stack>
    </form>
  );
}

/** The fields for the input of an action. */
function ChangeFields({
  action,
  form,
}: {
  readonly action: BulkAction;
  readonly form: Form<BulkDraft>;
}): ReactElement {
  const member = bulkActions[action];
  const roles = useApiQuery(
    'listRoles',
    { query: { limit: rolesShownMax } },
    { enabled: member === 'roles' },
  );
  return (
    <>
      {member === 'tags' && (
        <TagsInput
          id={form.field('tags').id}
          label={t.tags}
          description={t.tagsHint}
          value={[...form.values.tags]}
          onChange={(tags) => form.set('tags', tags)}
          error={form.mistakes['tags']}
          maxTags={clientLabelLimits.tagsMax}
          acceptValueOnBlur
          data-autofocus
        />
      )}
      {member === 'roles' && (
        <MultiSelect
          id={form.field('roles').id}
          label={t.roles}
          data={(roles.data?.data ?? []).map(({ name }) => name)}
          value={[...form.values.roles]}
          onChange={(names) => form.set('roles', names)}
          error={form.mistakes['roles']}
          maxValues={clientRolesMax}
          searchable
          data-autofocus
        />
      )}
      {member === 'networkEntry' && (
        <>
          <TextInput
            label={t.entry}
            description={t.entryHint}
            {...form.field('entry')}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          {action === 'add_network_entry' && (
            <TextInput
              label={t.label}
              description={t.labelHint}
              {...form.field('label')}
              maxLength={100}
              autoComplete="off"
            />
          )}
        </>
      )}
    </>
  );
}

const fieldOfPointer: Readonly<Record<string, keyof BulkDraft>> = {
  '/tags': 'tags',
  '/roles': 'roles',
  '/networkEntry/label': 'label',
  '/networkEntry': 'entry',
};
