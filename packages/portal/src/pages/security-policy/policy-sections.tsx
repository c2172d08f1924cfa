import type { Client, Member, SecurityPolicy } from '@countersign/contract';
import { Switch, TextInput } from '@mantine/core';
import { type ReactElement, Suspense, useId } from 'react';
import { useApiQuery, usePagedQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import type { Form } from '../../components/form.tsx';
import { FieldHint, Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { requestsKept as keptByService } from '#messages/requests.ts';
import { securityPolicy as t } from '#messages/security-policy.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { usePerson, useSession } from '../../session/session-context.ts';
import { isWhole, keptDaysMax, type PolicyDraft, policyLimits } from './policy-draft.ts';
import classes from './security-policy.module.css';

/** Few accounts have a limit. */
const LimitNumber = lazyPart(async () => (await import('./limit-number.tsx')).LimitNumber);

interface PolicySectionProps {
  readonly policy: SecurityPolicy;
  readonly form: Form<PolicyDraft>;
  readonly mayChange: boolean;
}

/** The requirements for people, and the people affected. */
export function PeopleSection({ policy, form, mayChange }: PolicySectionProps): ReactElement {
  const me = usePerson();
  const { account } = useSession();
  const hasOwn = me.hasTotp || me.passkeyCount > 0;
  const { isSecondFactorRequired } = form.values;
  // A person who may change the policy may always switch it off.
  const isLocked = !mayChange || (!hasOwn && !isSecondFactorRequired);
  return (
    <Section title={t.people}>
      <div className={classes['fields']}>
        <Switch
          classNames={{ track: classes['track'] }}
          label={t.secondFactor}
          description={t.secondFactorText}
          checked={isSecondFactorRequired}
          disabled={isLocked}
          onChange={(event) => form.set('isSecondFactorRequired', event.currentTarget.checked)}
        />
        {account?.isOperator && account.isSecondFactorRequired && !policy.isSecondFactorRequired && (
          <Notice tone="info">{t.operatorsAlways}</Notice>
        )}
        {mayChange && !hasOwn && !policy.isSecondFactorRequired && (
          <Notice
            tone="warning"
            action={
              <LinkButton to="/settings/profile" size="xs" variant="default">
                {t.toProfile}
              </LinkButton>
            }
          >
            {t.ownFirst}
          </Notice>
        )}
        {isSecondFactorRequired && <Lacking />}
        <LimitField
          form={form}
          limit="sessionHours"
          toggle="limitsSession"
          label={t.sessionHours}
          description={t.sessionHoursText}
          unit={t.hours}
          unlimited={t.sessionUnlimited}
          isDisabled={!mayChange}
        />
      </div>
    </Section>
  );
}

/** Whether risky changes wait for a second person. */
export function SecondPersonSection({ policy, form, mayChange }: PolicySectionProps): ReactElement {
  const { isSecondPersonRequired } = form.values;
  return (
    <Section title={t.approval}>
      <div className={classes['fields']}>
        <Switch
          classNames={{ track: classes['track'] }}
          label={t.secondPerson}
          description={t.secondPersonText}
          checked={isSecondPersonRequired}
          disabled={!mayChange}
          onChange={(event) => form.set('isSecondPersonRequired', event.currentTarget.checked)}
        />
        {isSecondPersonRequired && !policy.isSecondPersonRequired && (
          <FieldHint isLive>{t.secondPersonOn}</FieldHint>
        )}
        {!isSecondPersonRequired && policy.isSecondPersonRequired && (
          <FieldHint isLive>{t.secondPersonOff}</FieldHint>
        )}
      </div>
    </Section>
  );
}

const namesMax = 5;

/** The members without a second factor. */
function Lacking(): ReactElement | null {
  const { data } = usePagedQuery('listMembers', { query: { limit: 100 } });
  if (!data) return null;
  const lacking = data.pages.flatMap((page) => page.data).filter((member: Member) => !member.hasSecondFactor);
  if (lacking.length === 0) return <FieldHint tone="success">{t.everybodyHas}</FieldHint>;
  const names = lacking.slice(0, namesMax).map(({ name }) => name);
  const others = lacking.length - names.length;
  return (
    <FieldHint tone="warning" isLive>
      {t.lacking(lacking.length)} <bdi>{names.join(', ')}</bdi>
      {others > 0 && ` ${t.andMore(others)}`}
    </FieldHint>
  );
}

/** The maximum age of keys, and the keys that would end at once. */
export function KeyAgeSection({ policy, form, mayChange }: PolicySectionProps): ReactElement {
  const { limitsKeyAge, keyAgeDays } = form.values;
  const days = limitsKeyAge && isWhole(keyAgeDays, policyLimits.keyAgeDays) ? Number(keyAgeDays) : undefined;
  return (
    <Section title={t.keys}>
      <div className={classes['fields']}>
        <LimitField
          form={form}
          limit="keyAgeDays"
          toggle="limitsKeyAge"
          label={t.keyAge}
          description={t.keyAgeText}
          unit={t.days}
          unlimited={t.keyUnlimited}
          isDisabled={!mayChange}
        />
        {days !== undefined && days !== policy.keyAgeDaysMax && <EndingKeys days={days} />}
      </div>
    </Section>
  );
}

/** The keys that saving the policy would end. */
function EndingKeys({ days }: { readonly days: number }): ReactElement | null {
  const { data } = useApiQuery('listClients', { query: { limit: 100 } });
  const ending = (data?.data ?? []).flatMap((client) => oldKeys(client, days));
  if (ending.length === 0) return null;
  return (
    <FieldHint tone="danger" isLive>
      {t.keysEnding(ending.length)}
      <ul className={classes['keys']}>
        {ending.map(({ keyId, name, ageDays }) => (
          <li key={keyId}>
            <bdi>{t.keyOf(name, ageDays)}</bdi>
          </li>
        ))}
      </ul>
      {data?.nextCursor !== null && t.keysEndingSome}
    </FieldHint>
  );
}

function oldKeys(
  { name, keys, status }: Client,
  days: number,
): readonly { readonly keyId: string; readonly name: string; readonly ageDays: number }[] {
  if (status === 'revoked') return [];
  return keys
    .filter((key) => key.status !== 'expired' && key.status !== 'revoked' && key.ageDays >= days)
    .map(({ keyId, ageDays }) => ({ keyId, name, ageDays }));
}

/** How long requests are kept, and a warning before more of them are removed. */
export function RequestsKeptSection({ policy, form, mayChange }: PolicySectionProps): ReactElement {
  const { requestsKept } = useSession().features;
  const daysMax = keptDaysMax(requestsKept);
  const { limitsRequestsKept, requestsKeptDays } = form.values;
  const days =
    limitsRequestsKept && isWhole(requestsKeptDays, daysMax) ? Number(requestsKeptDays) : undefined;
  const before = policy.requestsKeptDays ?? daysMax;
  return (
    <Section title={t.requests}>
      <div className={classes['fields']}>
        <LimitField
          form={form}
          limit="requestsKeptDays"
          toggle="limitsRequestsKept"
          label={t.requestsKept}
          description={t.requestsKeptText}
          unit={t.days}
          unlimited={keptByService(requestsKept)}
          isDisabled={!mayChange}
          max={daysMax}
        />
        {days !== undefined && days < before && (
          <FieldHint tone="warning" isLive>
            {t.requestsRemoved(days)}
          </FieldHint>
        )}
      </div>
    </Section>
  );
}

interface LimitFieldProps {
  readonly form: Form<PolicyDraft>;
  readonly limit: 'sessionHours' | 'keyAgeDays' | 'requestsKeptDays';
  /** Switches the limit on. */
  readonly toggle: 'limitsSession' | 'limitsKeyAge' | 'limitsRequestsKept';
  readonly label: string;
  readonly description: string;
  readonly unit: string;
  /** Shown while there is no limit. */
  readonly unlimited: string;
  readonly isDisabled: boolean;
  /** The largest number, if it is not the usual one. */
  readonly max?: number;
}

/** A limit with a switch and a number. */
function LimitField(props: LimitFieldProps): ReactElement {
  const { form, limit, toggle, label, description, unit, unlimited, isDisabled, max } = props;
  const unitId = useId();
  const { id, error } = form.field(limit);
  const shown = {
    id,
    'aria-label': `${label} (${unit})`,
    'aria-describedby': unitId,
    value: form.values[limit],
    disabled: isDisabled,
    error,
  };
  return (
    <div className={classes['limit']}>
      <Switch
        classNames={{ track: classes['track'] }}
        label={label}
        description={description}
        checked={form.values[toggle]}
        disabled={isDisabled}
        onChange={(event) => form.set(toggle, event.currentTarget.checked)}
      />
      {form.values[toggle] ? (
        <div className={classes['number']}>
          <Suspense fallback={<TextInput {...shown} readOnly />}>
            <LimitNumber
              {...shown}
              max={max ?? policyLimits[limit]}
              onChange={(next) => form.set(limit, next)}
            />
          </Suspense>
          <span id={unitId} className={classes['unit']}>
            {unit}
          </span>
        </div>
      ) : (
        <div className={classes['unlimited']}>{unlimited}</div>
      )}
    </div>
  );
}
