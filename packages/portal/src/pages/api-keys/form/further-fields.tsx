import { Checkbox, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { mayOmitDate, profileOfSwitch } from '../../../clients/profile-switch.ts';
import type { Form } from '../../../components/form.tsx';
import { KeyEndField } from '../../../keys/key-end-field.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { usePermission } from '../../../session/session-context.ts';
import type { ClientForm } from './client-form.ts';
import { LabelFields } from './label-fields.tsx';
import { LimitFields } from './limit-fields.tsx';

const t = apiKeys.form;

interface FurtherFieldsProps {
  readonly form: Form<ClientForm>;
  readonly clientId: string | undefined;
  /** Whether the service accepts only the closed profile: a switch is all that there is to choose. */
  readonly hasDateSwitch: boolean;
}

/** What most clients leave as it is. */
export default function FurtherFields({ form, clientId, hasDateSwitch }: FurtherFieldsProps): ReactElement {
  const { allowExplanations, profile } = form.values;
  const mayAddKeys = usePermission('keys:write');
  return (
    <Stack gap="md">
      {clientId === undefined && mayAddKeys && <KeyEndField {...form.field('keyEnd')} />}
      <Checkbox
        label={t.allowExplanations}
        description={t.allowExplanationsHint}
        checked={allowExplanations}
        onChange={(event) => form.set('allowExplanations', event.currentTarget.checked)}
      />
      {hasDateSwitch && (
        <Checkbox
          label={t.mayOmitDate}
          description={t.mayOmitDateHint}
          checked={mayOmitDate(profile)}
          onChange={(event) => form.set('profile', profileOfSwitch(event.currentTarget.checked))}
        />
      )}
      <LabelFields form={form} />
      <LimitFields form={form} clientId={clientId} />
    </Stack>
  );
}
