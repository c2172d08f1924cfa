import type { Client, NetworkWhitelistContent } from '@countersign/contract';
import type { FormEvent, ReactElement } from 'react';
import type { Entity } from '../../../api/api.ts';
import { ConflictDialog } from '../../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FieldHint } from '../../../components/field-hint.tsx';
import { FormSummary } from '../../../components/form-summary.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { usePermission } from '../../../session/session-context.ts';
import { clientPath } from '../../client/client-path.ts';
import { ClientFields } from './client-fields.tsx';
import { conflictFields } from './conflict-fields.tsx';
import { PresentKeys } from './present-keys.tsx';
import { summaryOf } from './form-errors.ts';
import { FormFooter } from './form-footer.tsx';
import classes from './form-page.module.css';
import { PublicKeySection } from './public-key-section.tsx';
import { useUpdateClient } from './use-update-client.ts';

/** What the form begins with. */
export interface UpdateClientFormProps {
  readonly client: Entity<Client>;
  readonly whitelist: Entity<NetworkWhitelistContent>;
}

/** Changes name, network, roles and settings of a client, and gives it a key when it has none. */
export function UpdateClientForm({ client, whitelist }: UpdateClientFormProps): ReactElement {
  const t = useMessages('apiKeys').form;
  const blockers = useMessages('keyInput').blockers;
  const mayAddKeys = usePermission('keys:write');
  const model = useUpdateClient(client, whitelist);
  const { clientId, keys } = client.body;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void model.submit();
  };
  const blocker = model.key.blocker && blockers[model.key.blocker];
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <FormSummary errors={summaryOf(model.errors)} attempt={model.attempt} />
      <ClientFields
        clientId={clientId}
        form={model.form}
        onChange={model.setForm}
        draft={model.draft}
        onDraftChange={model.setDraft}
        errors={model.errors}
        publicKey={
          keys.length > 0 || !mayAddKeys ? (
            <PresentKeys clientId={clientId} keys={keys} />
          ) : (
            <PublicKeySection
              name={model.form.name}
              description={t.publicKeyMissingUpdate}
              onChange={model.setKey}
              error={model.errors.fields.publicKey}
            />
          )
        }
      />
      {model.refusal !== undefined && (
        <>
          {model.isPartlySaved && <FieldHint tone="warning">{t.partly}</FieldHint>}
          <ErrorNotice error={model.refusal} />
        </>
      )}
      <FormFooter
        action={t.update}
        isBusy={model.isBusy}
        blocked={blocker ?? (model.isChanged ? undefined : t.nothingChanged)}
        cancelPath={clientPath(clientId)}
      />
      <ConflictDialog
        mine={model.conflict === undefined ? undefined : model.form}
        theirs={model.conflict?.theirs}
        fields={conflictFields(t)}
        onKeepMine={() => void model.keepMine()}
        onTakeTheirs={model.takeTheirs}
        onClose={model.closeConflict}
        isBusy={model.isBusy}
      />
    </form>
  );
}
