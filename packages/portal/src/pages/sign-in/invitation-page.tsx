import type { InvitationOffer } from '@countersign/contract';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary, useForm } from '../../components/form.tsx';
import { memberRoleName } from '../../components/member-role-name.ts';
import {
  NewPasswordField,
  newPasswordMistake,
  placeNewPasswordRefusal,
} from '../../components/new-password-field.tsx';
import { layout } from '#messages/layout.ts';
import { passwordAdvice } from '#messages/problem-advice.ts';
import { signIn as t } from '#messages/sign-in.ts';
import { LinkCheck, SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';
import { useEnter } from './use-enter.ts';
import { useFragmentToken } from './use-fragment-token.ts';

export default function InvitationPage(): ReactElement {
  const roleNames = layout.roleNames;
  return (
    <LinkCheck kind="invitation" token={useFragmentToken()} check={auth.checkInvitation}>
      {(offer, token) => (
        <SignInLayout
          title={t.invitationTitle(offer.accountName)}
          description={
            <>
              {t.invitationText(offer.inviterName, offer.accountName, memberRoleName(roleNames, offer.role))}
              {offer.isKnownPerson && ` ${t.invitationKnown}`}
            </>
          }
        >
          <InvitationForm offer={offer} token={token} />
        </SignInLayout>
      )}
    </LinkCheck>
  );
}

interface InvitationFormProps {
  readonly offer: InvitationOffer;
  readonly token: string;
}

function InvitationForm({ offer, token }: InvitationFormProps): ReactElement {
  const enter = useEnter();
  const { isKnownPerson } = offer;
  const form = useForm({
    initialValues: { name: '', password: '' },
    labels: { name: t.name, password: t.password },
    validate: ({ name, password }) => ({
      name: isKnownPerson || name.trim() !== '' ? undefined : t.required,
      password: isKnownPerson ? (password === '' ? t.required : undefined) : newPasswordMistake(password),
    }),
    place: placeNewPasswordRefusal,
  });
  const submit = form.submit(async ({ name, password }) => {
    const body = isKnownPerson ? { token, password } : { token, name: name.trim(), password };
    await enter(await auth.acceptInvitation(body));
  });
  return (
    <form noValidate onSubmit={submit} className={classes['form']}>
      <FormSummary {...form.summary} />
      <ErrorNotice error={form.failure} words={passwordAdvice} />
      <TextInput label={t.email} value={offer.email} readOnly autoComplete="username" />
      {isKnownPerson ? (
        <PasswordInput
          {...form.field('password')}
          label={t.password}
          autoComplete="current-password"
          autoFocus
        />
      ) : (
        <>
          <TextInput {...form.field('name')} label={t.name} autoComplete="name" maxLength={100} autoFocus />
          <NewPasswordField field={form.field('password')} label={t.password} />
        </>
      )}
      <Button type="submit" size="md" fullWidth loading={form.isBusy}>
        {t.invitationAction}
      </Button>
    </form>
  );
}
