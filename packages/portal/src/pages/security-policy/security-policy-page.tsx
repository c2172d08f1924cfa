import type { SecurityPolicy, SecurityPolicyChange } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactElement, useEffect, useState } from 'react';
import { api, type Entity } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { useApiMutation, useEntityQuery } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { securityPolicy as t } from '#messages/security-policy.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import { isWhole, keptDaysMax, policyChange, policyDraftOf, policyLimits, policyOf } from './policy-draft.ts';
import {
  KeyAgeSection,
  PeopleSection,
  RequestsKeptSection,
  SecondPersonSection,
} from './policy-sections.tsx';
import { PortalNetworksSection } from './portal-networks-section.tsx';
import classes from './security-policy.module.css';

/** Settings > Security policies: the account's requirements for its people and keys. */
export default function SecurityPolicyPage(): ReactElement {
  const mayChange = usePermission('policy:write');
  const query = useEntityQuery('getSecurityPolicy');
  return (
    <Page title={t.title} description={t.description}>
      {!mayChange && <Notice tone="neutral">{t.noPermission}</Notice>}
      <QueryState query={query}>
        {(entity) => <StablePolicy entity={entity} mayChange={mayChange} />}
      </QueryState>
    </Page>
  );
}

interface StablePolicyProps {
  readonly entity: Entity<SecurityPolicy>;
  readonly mayChange: boolean;
}

/** Keeps the form's initial version while it has unsaved changes. */
function StablePolicy({ entity, mayChange }: StablePolicyProps): ReactElement {
  const [first, setFirst] = useState(entity);
  const [isDirty, setIsDirty] = useState(false);
  if (!isDirty && first !== entity) setFirst(entity);
  return (
    <PolicyForm
      key={first.entityTag}
      policy={first.body}
      entityTag={first.entityTag}
      mayChange={mayChange}
      onDirty={setIsDirty}
    />
  );
}

interface PolicyFormProps {
  readonly policy: SecurityPolicy;
  readonly entityTag: string | undefined;
  readonly mayChange: boolean;
  readonly onDirty: (isDirty: boolean) => void;
}

function PolicyForm({ policy, entityTag, mayChange, onDirty }: PolicyFormProps): ReactElement {
  const daysMax = keptDaysMax(useSession().features.requestsKept);
  const form = useForm({
    id: 'policy',
    initialValues: policyDraftOf(policy),
    validate: ({ limitsSession, sessionHours, limitsKeyAge, keyAgeDays, ...rest }) => ({
      sessionHours:
        limitsSession && !isWhole(sessionHours, policyLimits.sessionHours) ? t.hoursInvalid : undefined,
      keyAgeDays: limitsKeyAge && !isWhole(keyAgeDays, policyLimits.keyAgeDays) ? t.daysInvalid : undefined,
      requestsKeptDays:
        rest.limitsRequestsKept && !isWhole(rest.requestsKeptDays, daysMax)
          ? t.keptInvalid(daysMax)
          : undefined,
    }),
  });
  const change = policyChange(form.values, policy);
  const isDirty = Object.keys(change).length > 0;
  const saving = usePolicySaving(entityTag, () => {
    onDirty(false);
    notify.success(t.saved);
  });
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  useUnsavedGuard(isDirty);
  return (
    <form onSubmit={form.submit(() => isDirty && saving.save(change))} noValidate className={classes['form']}>
      <FormSummary {...form.summary} />
      <PeopleSection policy={policy} form={form} mayChange={mayChange} />
      <PortalNetworksSection form={form} mayChange={mayChange} />
      <KeyAgeSection policy={policy} form={form} mayChange={mayChange} />
      <RequestsKeptSection policy={policy} form={form} mayChange={mayChange} />
      <SecondPersonSection policy={policy} form={form} mayChange={mayChange} />
      <ErrorNotice error={saving.error} />
      {mayChange && (
        <Group gap="sm">
          <Button type="submit" disabled={!isDirty} loading={saving.isBusy}>
            {t.save}
          </Button>
          {isDirty && (
            <Button variant="default" onClick={form.reset}>
              {t.discard}
            </Button>
          )}
        </Group>
      )}
      <ConflictDialog<SecurityPolicy>
        mine={policyOf(form.values)}
        saving={{ ...saving, saveOverTheirs: () => saving.saveOverTheirs(change) }}
        fields={shownFields}
        onTakeTheirs={() => {
          saving.dismissConflict();
          onDirty(false);
        }}
      />
    </form>
  );
}

/** What a conflict compares. */
const shownFields: ComponentProps<typeof ConflictDialog<SecurityPolicy>>['fields'] = [
  { label: t.secondFactor, show: (one) => (one.isSecondFactorRequired ? t.on : t.off) },
  {
    label: t.sessionHours,
    show: (one) => (one.sessionHoursMax === null ? t.noLimit : t.hoursOf(one.sessionHoursMax)),
  },
  {
    label: t.keyAge,
    show: (one) => (one.keyAgeDaysMax === null ? t.noLimit : t.daysOf(one.keyAgeDaysMax)),
  },
  {
    label: t.requestsKept,
    show: (one) => (one.requestsKeptDays === null ? t.noLimit : t.daysOf(one.requestsKeptDays)),
  },
  {
    label: t.networks,
    show: (one) =>
      one.portalNetworks.length === 0
        ? t.everywhere
        : one.portalNetworks.map(({ entry }) => entry).join(', '),
  },
  { label: t.secondPerson, show: (one) => (one.isSecondPersonRequired ? t.on : t.off) },
];

/** Changes the version of the policies that was shown. */
function usePolicySaving(
  entityTag: string | undefined,
  onSaved: () => void,
): ConflictSaving<SecurityPolicyChange, SecurityPolicy> {
  const accountId = useAccountId();
  const queryClient = useQueryClient();
  const { refresh } = useSession();
  const update = useApiMutation('updateSecurityPolicy');
  return useConflictSaving(entityTag, {
    async write(body, ifMatch) {
      await update.mutateAsync({ body, ifMatch });
      onSaved();
      // The session state holds the account's requirements too.
      void refresh();
    },
    async readTheirs() {
      const theirs = await api.callWithEntityTag('getSecurityPolicy');
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
      return theirs;
    },
  });
}
