import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Form } from '../../components/form.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';
import type { DebugProfile } from './use-debug-profile.ts';

interface ProfileFieldProps {
  readonly form: Form<DebugForm>;
  readonly profile: DebugProfile;
}

/** The profile to judge by, on a service with clients of several. */
export function ProfileField({ form, profile }: ProfileFieldProps): ReactElement | null {
  const { name, ofClient, choices } = profile;
  if (choices.length === 0) return null;
  const { id } = form.field('profile');
  return (
    <>
      <Select
        id={id}
        label={t.profile}
        description={t.profileHint}
        className={classes['narrow']}
        data={choices.map((choice) => ({
          value: choice.name,
          label: t.profileOption(choice.title, choice.name),
        }))}
        value={name}
        error={form.mistakes['profile']}
        allowDeselect={false}
        onChange={(chosen) => form.set('profile', chosen === ofClient ? undefined : (chosen ?? undefined))}
        maxDropdownHeight={280}
      />
      {ofClient !== undefined && ofClient !== name && (
        <FieldHint tone="warning" isLive>
          {t.profileNotOfClient(ofClient)}
        </FieldHint>
      )}
    </>
  );
}
