import type { SecurityPolicy, SecurityPolicyChange } from '@countersign/contract';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { api, type Entity } from '../../api/api.ts';
import { useApiMutation, useEntityQuery } from '../../api/queries.ts';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import { useAccountId } from '../../api/current-account.ts';
import { Button, Group } from '@mantine/core';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary } from '../../components/form-summary.tsx';
import { notify } from '../../components/notify.ts';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { KeyAgeSection, PeopleSection } from './policy-sections.tsx';
import { policyChange, type PolicyDraft, policyDraftOf, policyErrors, policyOf } from './policy-draft.ts';
import classes from './security-policy.module.css';
import { useQueryClient } from '@tanstack/react-query';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';

/** Settings > Security policies: what the account demands of its people and keys. */
export default function SecurityPolicyPage(): ReactElement {
  const t = useMessages('securityPolicy');
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

/** The form goes on from what it began with while something in it is not saved. */
function StablePolicy({
  entity,
  mayChange,
}: {
  readonly entity: Entity<SecurityPolicy>;
  readonly mayChange: boolean;
}): ReactElement {
  const [begun, setBegun] = useState(entity);
  const [isDirty, setIsDirty] = useState(false);
  if (!isDirty && begun !== entity) setBegun(entity);
  return (
    <PolicyForm
      key={begun.entityTag}
      policy={begun.body}
      entityTag={begun.entityTag}
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

/** The policies as a form; nothing is changed before it is saved. */
function PolicyForm({ policy, entityTag, mayChange, onDirty }: PolicyFormProps): ReactElement {
  const t = useMessages('securityPolicy');
  const [draft, setDraft] = useState(() => policyDraftOf(policy));
  const [attempt, setAttempt] = useState(0);
  const wrong = policyErrors(draft);
  const isDirty = wrong.length > 0 || Object.keys(policyChange(draft, policy)).length > 0;
  const saving = usePolicySaving(entityTag, () => {
    onDirty(false);
    notify.success(t.saved);
  });
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  useUnsavedGuard(isDirty);
  const change = (part: Partial<PolicyDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAttempt(attempt + 1);
    if (wrong.length === 0 && isDirty) void saving.save(policyChange(draft, policy));
  };
  const errors = wrong.map((field) => ({
    fieldId: `policy-${field}`,
    message: field === 'sessionHours' ? t.hoursInvalid : t.daysInvalid,
  }));
  return (
    <form onSubmit={submit} noValidate className={classes['form']}>
      <FormSummary errors={attempt > 0 ? errors : []} attempt={attempt} />
      <PeopleSection policy={policy} draft={draft} onChange={change} mayChange={mayChange} />
      <KeyAgeSection policy={policy} draft={draft} onChange={change} mayChange={mayChange} />
      {saving.error !== undefined && <ErrorNotice error={saving.error} />}
      {mayChange && (
        <Group gap="sm">
          <Button type="submit" disabled={!isDirty} loading={saving.isBusy}>
            {t.save}
          </Button>
          {isDirty && (
            <Button variant="default" onClick={() => setDraft(policyDraftOf(policy))}>
              {t.discard}
            </Button>
          )}
        </Group>
      )}
      <PolicyConflict saving={saving} draft={draft} policy={policy} onTakeTheirs={() => onDirty(false)} />
    </form>
  );
}

function PolicyConflict({
  saving,
  draft,
  policy,
  onTakeTheirs,
}: {
  readonly saving: ReturnType<typeof usePolicySaving>;
  readonly draft: PolicyDraft;
  readonly policy: SecurityPolicy;
  readonly onTakeTheirs: () => void;
}): ReactElement {
  const t = useMessages('securityPolicy');
  return (
    <ConflictDialog<SecurityPolicy>
      mine={saving.theirs === undefined ? undefined : policyOf(draft)}
      theirs={saving.theirs}
      fields={[
        { label: t.secondFactor, show: (one) => (one.isSecondFactorRequired ? t.on : t.off) },
        {
          label: t.sessionHours,
          show: (one) => (one.sessionHoursMax === null ? t.noLimit : t.hoursOf(one.sessionHoursMax)),
        },
        {
          label: t.keyAge,
          show: (one) => (one.keyAgeDaysMax === null ? t.noLimit : t.daysOf(one.keyAgeDaysMax)),
        },
      ]}
      isBusy={saving.isBusy}
      onKeepMine={() => void saving.saveOverTheirs(policyChange(draft, policy))}
      onTakeTheirs={() => {
        saving.dismissConflict();
        onTakeTheirs();
      }}
      onClose={saving.dismissConflict}
    />
  );
}

/** Changes the policies in the state that was seen. */
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
      // What the account demands stands in the state of the sign-in, too.
      void refresh();
    },
    async readTheirs() {
      const theirs = await api.callWithEntityTag('getSecurityPolicy');
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
      return theirs;
    },
  });
}
