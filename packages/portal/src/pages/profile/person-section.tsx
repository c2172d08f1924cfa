import type { Profile } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useFormFields } from '../../components/use-form-fields.ts';
import { useMessages } from '../../messages/messages.ts';
import classes from './profile.module.css';
import { useProfileRefresh } from './use-profile.ts';

/** Name and address of the person. */
export function PersonSection({ profile }: { readonly profile: Profile }): ReactElement {
  const t = useMessages('profile');
  const refresh = useProfileRefresh();
  const form = useFormFields({
    initial: { name: profile.name },
    check: ({ name }) => ({ name: name.trim() === '' ? t.nameRequired : undefined }),
  });
  useUnsavedGuard(form.isDirty);
  const submit = form.submit(async ({ name }) => {
    await auth.changeName(name.trim());
    await refresh();
    notify.success(t.saved);
  });
  return (
    <Section title={t.personTitle}>
      <form noValidate onSubmit={submit} className={classes['form']}>
        {form.failure && <ErrorNotice error={form.failure} />}
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
