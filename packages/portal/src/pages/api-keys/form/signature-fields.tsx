import { type ReactElement, Suspense } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import { isClosedProfile } from '../../../clients/profile-switch.ts';
import { FoldedSection } from '../../../components/folded-section.tsx';
import type { Form } from '../../../components/form.tsx';
import { LoadingLines } from '../../../components/query-state.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { lazyPart } from '../../../session/lazy-part.ts';
import type { ClientForm } from './client-form.ts';
import { profileOptions } from './profile-options.ts';

/** Most services accept one profile. */
const ProfileSection = lazyPart(async () => (await import('./profile-section.tsx')).ProfileSection);

/** Its fields are more than the first view of a closed section needs. */
const FurtherFields = lazyPart(async () => (await import('./further-fields.tsx')).default);

interface SignatureFieldsProps {
  readonly form: Form<ClientForm>;
  readonly savedProfile: string | undefined;
  readonly clientId: string | undefined;
}

/**
 * What the client's signatures must be like, and further settings. A service that accepts only the closed profile, as most
 * do, asks for no more than a switch.
 */
export function SignatureFields({ form, savedProfile, clientId }: SignatureFieldsProps): ReactElement {
  const t = apiKeys.form;
  const query = useApiQuery('listProfiles');
  const { profile } = form.values;
  const options = query.data && profileOptions(query.data.data, [savedProfile, profile]);
  const isChoice = options?.some(({ name }) => !isClosedProfile(name)) ?? false;
  return (
    <>
      {options !== undefined && isChoice && (
        <Suspense>
          <ProfileSection
            id={form.field('profile').id}
            options={options}
            value={profile}
            onChange={(name) => form.set('profile', name)}
            error={form.mistakes['profile']}
          />
        </Suspense>
      )}
      <FoldedSection
        title={t.settings}
        description={t.settingsDescription}
        isOpenAtFirst={clientId !== undefined}
        mustOpen={furtherNames.some((name) => form.mistakes[name] !== undefined)}
      >
        <Suspense fallback={<LoadingLines />}>
          <FurtherFields form={form} clientId={clientId} hasDateSwitch={options !== undefined && !isChoice} />
        </Suspense>
      </FoldedSection>
    </>
  );
}

const furtherNames = ['keyEnd', 'tags', 'metadata', 'requestsPerMinuteMax', 'requestsBurstMax'] as const;
