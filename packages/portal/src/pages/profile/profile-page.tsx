import type { Profile } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useParameters } from '../../components/use-raw-search.ts';
import { profile as t } from '#messages/profile.ts';
import { useSession } from '../../session/session-context.ts';
import { useTimeForm } from '../../session/time-form.ts';
import { NoticesSection } from './notices-section.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import classes from './profile.module.css';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { TimeSection } from './time-section.tsx';
import { useProfile, useProfileRefresh } from './use-profile.ts';

/** Settings > My profile. */
export default function ProfilePage(): ReactElement {
  const profile = useProfile();
  const { account } = useSession();
  const [search] = useParameters();
  // All times below it are written again.
  useTimeForm();
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
            <TimeSection />
            <SecondFactorSection profile={data} />
            <PasskeysSection passkeys={data.passkeys} />
            <PasswordSection hasPassword={data.hasPassword} email={data.email} />
            {account && <NoticesSection />}
            <SessionsSection sessions={data.sessions} />
          </>
        )}
      </QueryState>
    </Page>
  );
}

function PersonSection({ profile }: { readonly profile: Profile }): ReactElement {
  const refresh = useProfileRefresh();
  const form = useForm({
    initialValues: { name: profile.name },
    validate: ({ name }) => ({ name: name.trim() === '' ? t.nameRequired : undefined }),
  });
  useUnsavedGuard(form.isDirty);
  const submit = form.submit(async ({ name }) => {
    await auth.changeName(name.trim());
    await refresh();
    form.markSaved();
    notify.success(t.saved);
  });
  return (
    <Section title={t.personTitle}>
      <form noValidate onSubmit={submit} className={classes['form']}>
        <ErrorNotice error={form.failure} />
        <TextInput
          {...form.field('name')}
          label={t.name}
          description={t.nameHint}
          autoComplete="name"
          maxLength={100}
        />
        <TextInput label={t.email} value={profile.email} readOnly variant="filled" />
        <Button type="submit" loading={form.isBusy} disabled={!form.isDirty}>
          {t.save}
        </Button>
      </form>
    </Section>
  );
}
