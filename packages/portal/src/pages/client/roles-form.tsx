import type { Client, PermissionEntry, Role } from '@countersign/contract';
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { PermissionMatrix } from '../../components/permission-matrix.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useMessages } from '../../messages/messages.ts';
import { useAccountId } from '../../session/session-context.ts';
import classes from './client.module.css';
import type { ClientView } from './client-view.ts';

interface RolesFormProps {
  readonly view: ClientView;
  readonly roles: readonly Role[];
  readonly permissions: readonly PermissionEntry[];
  readonly onEnd: () => void;
}

/** Changes the roles of a client; the matrix shows at once what they would permit. */
export function RolesForm({ view, roles, permissions, onEnd }: RolesFormProps): ReactElement {
  const t = useMessages('client').roles;
  const [names, setNames] = useState<readonly string[]>(view.client.roles);
  const { save, isSaving, error, theirs, leave } = useSaveRoles(view, names, onEnd);
  useUnsavedGuard(sorted(names) !== sorted(view.client.roles));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save(view.entityTag);
  };
  return (
    <form onSubmit={submit} className={classes['stack']}>
      <Checkbox.Group label={t.editTitle} value={[...names]} onChange={setNames}>
        <Stack gap="sm" mt="xs">
          {roles.map(({ name, summary, isBuiltIn }) => (
            <Checkbox
              key={name}
              value={name}
              label={isBuiltIn ? name : `${name} (${t.own})`}
              description={summary}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {error !== undefined && <ErrorNotice error={error} />}
      <Group gap="sm">
        <Button type="submit" loading={isSaving}>
          {t.save}
        </Button>
        <Button variant="default" onClick={onEnd} disabled={isSaving}>
          {t.cancel}
        </Button>
      </Group>
      {names.length > 0 && (
        <PermissionMatrix
          roles={roles.filter(({ name }) => names.includes(name))}
          permissions={permissions}
          label={t.permissions}
        />
      )}
      <ConflictDialog
        mine={theirs && names}
        theirs={theirs?.client.roles}
        fields={[{ label: t.field, show: (value: readonly string[]) => sorted(value) }]}
        onKeepMine={() => void save(theirs?.entityTag)}
        onTakeTheirs={leave}
        isBusy={isSaving}
      />
    </form>
  );
}

interface Saving {
  readonly save: (entityTag: string | undefined) => Promise<void>;
  readonly isSaving: boolean;
  readonly error: unknown;
  /** What is there now, when somebody else was faster. */
  readonly theirs: { readonly client: Client; readonly entityTag: string | undefined } | undefined;
  readonly leave: () => void;
}

function useSaveRoles({ client }: ClientView, names: readonly string[], onEnd: () => void): Saving {
  const t = useMessages('client').roles;
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<Saving['theirs']>();
  const path = { clientId: client.clientId };
  const leave = (): void => {
    void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    onEnd();
  };
  const save = async (entityTag: string | undefined): Promise<void> => {
    setIsSaving(true);
    setError(undefined);
    try {
      await api.call('updateClient', { path, ifMatch: entityTag ?? '*', body: { roles: names } });
      notify.success(t.saved);
      leave();
    } catch (failure) {
      if (isApiError(failure, 'precondition_failed')) {
        const now = await api.callWithEntityTag('getClient', { path });
        setTheirs({ client: now.body, entityTag: now.entityTag });
      } else if (!isApiError(failure, 'cancelled')) setError(failure);
    } finally {
      setIsSaving(false);
    }
  };
  return { save, isSaving, error, theirs, leave };
}

function sorted(names: readonly string[]): string {
  return names.toSorted().join(', ');
}
