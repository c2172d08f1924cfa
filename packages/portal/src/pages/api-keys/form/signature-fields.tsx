import { Checkbox, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import { isClosedProfile, mayOmitDate, profileOfSwitch } from '../../../clients/profile-switch.ts';
import { AppLink } from '../../../components/app-link.tsx';
import type { Form } from '../../../components/form.tsx';
import { LoadingLines, QueryState } from '../../../components/query-state.tsx';
import { Section } from '../../../components/section.tsx';
import { documentPath } from '../../../documents/document-path.ts';
import { apiKeys } from '#messages/api-keys.ts';
import { messageProfiles } from '#messages/message-profiles.ts';
import type { ClientForm } from './client-form.ts';
import { ProfileField } from './profile-field.tsx';
import { profileOptions } from './profile-options.ts';

interface SignatureFieldsProps {
  readonly form: Form<ClientForm>;
  readonly savedProfile: string | undefined;
}

/**
 * What the client's signatures must be like. A service that accepts only the closed profile, as most do, asks for no more
 * than a switch.
 */
export function SignatureFields({ form, savedProfile }: SignatureFieldsProps): ReactElement {
  const t = apiKeys.form;
  const query = useApiQuery('listProfiles');
  const { profile, allowExplanations } = form.values;
  const options = query.data && profileOptions(query.data.data, [savedProfile, profile]);
  const isChoice = options?.some(({ name }) => !isClosedProfile(name)) ?? false;
  return (
    <>
      {options !== undefined && isChoice && (
        <Section
          title={messageProfiles.title}
          description={
            <>
              {messageProfiles.description}{' '}
              <AppLink to={documentPath('message-profiles')} underline="always">
                {messageProfiles.about}
              </AppLink>
            </>
          }
        >
          <ProfileField
            id={form.field('profile').id}
            options={options}
            value={profile}
            onChange={(name) => form.set('profile', name)}
            error={form.mistakes['profile']}
          />
        </Section>
      )}
      <Section title={t.settings}>
        <Stack gap="md">
          <Checkbox
            label={t.allowExplanations}
            description={t.allowExplanationsHint}
            checked={allowExplanations}
            onChange={(event) => form.set('allowExplanations', event.currentTarget.checked)}
          />
          {!isChoice && (
            <QueryState query={query} loading={<LoadingLines count={2} />}>
              {() => (
                <Checkbox
                  label={t.mayOmitDate}
                  description={t.mayOmitDateHint}
                  checked={mayOmitDate(profile)}
                  onChange={(event) => form.set('profile', profileOfSwitch(event.currentTarget.checked))}
                />
              )}
            </QueryState>
          )}
        </Stack>
      </Section>
    </>
  );
}
