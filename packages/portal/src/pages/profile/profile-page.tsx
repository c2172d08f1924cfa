import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { PasskeysSection } from './passkeys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { PersonSection } from './person-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { useProfile } from './use-profile.ts';

/** Settings, My profile: name, password, second factor, passkeys and sessions of the person. */
export default function ProfilePage(): ReactElement {
  const t = useMessages('profile');
  const profile = useProfile();
  const [search] = useSearchParams();
  return (
    <Page title={t.title} description={t.description}>
      {search.get('earlier-sign-in') === 'ended' && (
        <Notice tone="warning" title={t.earlierEndedTitle} role="status">
          {t.earlierEndedText}
        </Notice>
      )}
      <QueryState query={profile}>
        {(data) => (
          <>
            <PersonSection profile={data} />
            <SecondFactorSection profile={data} />
            <PasskeysSection passkeys={data.passkeys} />
            <PasswordSection hasPassword={data.hasPassword} email={data.email} />
            <SessionsSection sessions={data.sessions} />
          </>
        )}
      </QueryState>
    </Page>
  );
}
