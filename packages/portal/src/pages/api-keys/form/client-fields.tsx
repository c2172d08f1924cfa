import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Section } from '../../../components/section.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { NetworkEditor } from '../../../network/network-editor.tsx';
import { type ClientForm, type ClientFormErrors, fieldIds } from './client-form.ts';
import { RolesField } from '../../../clients/roles-field.tsx';
import { KeyInput } from '../../../components/key-input/key-input.tsx';
import type { KeyInputState } from '../../../components/key-input/read-key-text.ts';
import { fileStem } from '../../../components/key-input/save-text.ts';
import { LinkButton } from '../../../components/app-link.tsx';
import classes from './form-page.module.css';
import type { Key } from '@countersign/contract';
import { CopyableText } from '../../../components/copyable-text.tsx';
import { usePermission } from '../../../session/session-context.ts';
import { clientPath } from '../../../clients/client-path.ts';
import { KeyStatusBadge } from '../../../clients/status-badges.tsx';

/** What the fields of a client need. */
export interface ClientFieldsProps {
  readonly form: ClientForm;
  readonly onChange: (form: ClientForm) => void;
  /** What stands in the field for the next network entry. */
  readonly draft: string;
  readonly onDraftChange: (draft: string) => void;
  readonly errors: ClientFormErrors;
  /** The part for the public key, between network and roles. */
  readonly publicKey: ReactNode;
  /** Undefined while there is no client yet. */
  readonly clientId?: string;
}

/** The fields of Add client and Update, in the order of the specification. */
export function ClientFields(props: ClientFieldsProps): ReactElement {
  const { form, onChange, draft, onDraftChange, errors, publicKey, clientId } = props;
  const t = useMessages('apiKeys');
  const network = useMessages('networkEditor');
  return (
    <>
      <Section title={t.form.name}>
        <TextInput
          id={fieldIds.name}
          aria-label={t.form.name}
          description={t.form.nameHint}
          inputWrapperOrder={['input', 'error', 'description']}
          value={form.name}
          error={errors.fields.name}
          onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
          maxLength={200}
          maw={480}
          required
          withAsterisk={false}
          autoComplete="off"
          data-1p-ignore
        />
      </Section>
      <Section title={network.title} description={network.description}>
        <NetworkEditor
          items={form.network}
          onChange={(items) => onChange({ ...form, network: items })}
          draft={draft}
          onDraftChange={onDraftChange}
          fieldId={fieldIds.network}
          error={errors.fields.network}
          entryErrors={errors.entries}
          clientId={clientId}
        />
      </Section>
      {publicKey}
      <Section title={t.form.roles} description={t.form.rolesDescription}>
        <RolesField
          label={t.form.roles}
          value={form.roles}
          onChange={(roles) => onChange({ ...form, roles })}
          error={errors.fields.roles}
        />
      </Section>
      <Section title={t.form.settings}>
        <ClientSettings form={form} onChange={onChange} />
      </Section>
    </>
  );
}

function ClientSettings({ form, onChange }: Pick<ClientFieldsProps, 'form' | 'onChange'>): ReactElement {
  const t = useMessages('apiKeys').form;
  return (
    <Stack gap="md">
      <Checkbox
        label={t.allowExplanations}
        description={t.allowExplanationsHint}
        checked={form.allowExplanations}
        onChange={(event) => onChange({ ...form, allowExplanations: event.currentTarget.checked })}
      />
      <Checkbox
        label={t.acceptWithoutDate}
        description={t.acceptWithoutDateHint}
        checked={form.acceptWithoutDate}
        onChange={(event) => onChange({ ...form, acceptWithoutDate: event.currentTarget.checked })}
      />
    </Stack>
  );
}

/** What the part for the public key needs. */
interface PublicKeySectionProps {
  /** The name of the client, for the names of files. */
  readonly name: string;
  readonly onChange: (state: KeyInputState) => void;
  readonly error: string | undefined;
  readonly description?: string;
}

/** The public key of a client, with the key box. */
export function PublicKeySection({
  name,
  onChange,
  error,
  description,
}: PublicKeySectionProps): ReactElement {
  const t = useMessages('apiKeys').form;
  return (
    <Section title={t.publicKey} description={description ?? t.publicKeyDescription}>
      <KeyInput fieldId={fieldIds.publicKey} fileStem={fileStem(name)} onChange={onChange} error={error} />
    </Section>
  );
}

/** What the end of a form needs. */
interface FormFooterProps {
  readonly action: string;
  readonly isBusy: boolean;
  /** Why it cannot be sent yet, in words. */
  readonly blocked: string | undefined;
  /** Where Cancel leads. */
  readonly cancelPath: string;
}

/** The buttons at the end of a form, which stay in sight. */
export function FormFooter({ action, isBusy, blocked, cancelPath }: FormFooterProps): ReactElement {
  const t = useMessages('apiKeys').form;
  return (
    <div className={classes.footer}>
      <div className={classes.note} role="status">
        {blocked}
      </div>
      <LinkButton variant="default" to={cancelPath}>
        {t.cancel}
      </LinkButton>
      <Button type="submit" loading={isBusy} disabled={blocked !== undefined}>
        {action}
      </Button>
    </div>
  );
}

/** What is shown of the keys of a client. */
interface PresentKeysProps {
  readonly clientId: string;
  readonly keys: readonly Key[];
}

/** The keys that a client has, and the way to change them: by rotating. */
export function PresentKeys({ clientId, keys }: PresentKeysProps): ReactElement {
  const t = useMessages('apiKeys');
  const mayRotate = usePermission('keys:write');
  return (
    <Section
      title={t.form.publicKey}
      description={t.form.publicKeyOfUpdate}
      actions={
        mayRotate &&
        keys.length > 0 && (
          <LinkButton variant="default" to={clientPath(clientId, '/rotate')}>
            {t.actions.rotate}
          </LinkButton>
        )
      }
    >
      <ul className={classes.keys}>
        {keys.map((key) => (
          <li key={key.keyId}>
            <KeyStatusBadge status={key.status} />
            <CopyableText value={key.fingerprint} label={t.result.fingerprint} />
          </li>
        ))}
        {keys.length === 0 && <li>{t.table.noKeys}</li>}
      </ul>
    </Section>
  );
}
