import type { Role, RoleHolders } from '@countersign/contract';
import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactElement, useState } from 'react';
import { useEntityQuery } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { roles as t } from '#messages/roles.ts';
import { draftOf, type RoleDraft } from './role-draft.ts';
import { RoleForm } from './role-form.tsx';

/** A new role, possibly a copy, or an existing one. */
export type RoleToEdit =
  | { readonly kind: 'new'; readonly holders: RoleHolders; readonly like: Role | undefined }
  | { readonly kind: 'change'; readonly roleId: string; readonly name: string };

interface RoleEditorProps {
  readonly edited: RoleToEdit | undefined;
  readonly onClose: () => void;
}

/** Edits a role in a dialog. Asks before it discards changes. */
export function RoleEditor({ edited, onClose }: RoleEditorProps): ReactElement {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const [isDirty, setIsDirty] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const close = (): void => {
    setIsDirty(false);
    setIsLeaving(false);
    onClose();
  };
  return (
    <>
      <Modal
        opened={edited !== undefined}
        onClose={() => (isDirty ? setIsLeaving(true) : close())}
        title={
          edited?.kind === 'change' ? t.editTitle(edited.name) : t.of[edited?.holders ?? 'clients'].addTitle
        }
        size="46rem"
        fullScreen={isNarrow}
      >
        {edited?.kind === 'new' && (
          <RoleForm
            role={undefined}
            holders={edited.holders}
            entityTag={undefined}
            initial={newDraft(edited.like, t.copyName)}
            onDirty={setIsDirty}
            onClose={close}
          />
        )}
        {edited?.kind === 'change' && (
          <ChangedRole roleId={edited.roleId} onDirty={setIsDirty} onClose={close} />
        )}
      </Modal>
      <ConfirmDialog
        opened={isLeaving}
        onClose={() => setIsLeaving(false)}
        title={t.discardTitle}
        confirmLabel={t.discard}
        cancelLabel={t.keepEditing}
        isDangerous
        onConfirm={close}
      >
        {t.discardText}
      </ConfirmDialog>
    </>
  );
}

interface ChangedRoleProps {
  readonly roleId: string;
  readonly onDirty: (isDirty: boolean) => void;
  readonly onClose: () => void;
}

function ChangedRole({ roleId, onDirty, onClose }: ChangedRoleProps): ReactElement {
  const query = useEntityQuery('getRole', { path: { roleId } });
  // The form keeps its initial values: others' changes show up when it is saved.
  const [begun, setBegun] = useState(query.data);
  if (begun === undefined && query.data !== undefined) setBegun(query.data);
  return (
    <QueryState query={{ ...query, data: begun }}>
      {({ body, entityTag }) => (
        <RoleForm
          role={body}
          holders={body.holders}
          entityTag={entityTag}
          initial={draftOf(body)}
          onDirty={onDirty}
          onClose={onClose}
        />
      )}
    </QueryState>
  );
}

function newDraft(like: Role | undefined, copyName: (name: string) => string): RoleDraft {
  if (like === undefined) return { name: '', summary: '', permissions: [] };
  return { ...draftOf(like), name: copyName(like.name) };
}
