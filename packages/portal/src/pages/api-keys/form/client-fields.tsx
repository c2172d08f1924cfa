import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Section } from '../../../components/section.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { NetworkEditor } from '../network/network-editor.tsx';
import type { ClientForm } from './client-form.ts';
import { type ClientFormErrors, fieldIds } from './form-errors.ts';
import { RolesField } from './roles-field.tsx';

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
