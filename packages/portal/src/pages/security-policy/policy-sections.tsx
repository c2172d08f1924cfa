import type { Client, Member, SecurityPolicy } from '@countersign/contract';
import { NumberInput, Switch } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import { useApiQuery, usePagedQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { FieldHint } from '../../components/field-hint.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePerson } from '../../session/session-context.ts';
import { type PolicyDraft, policyErrors } from './policy-draft.ts';
import classes from './security-policy.module.css';

interface PeopleSectionProps {
  readonly policy: SecurityPolicy;
  readonly draft: PolicyDraft;
  readonly onChange: (part: Partial<PolicyDraft>) => void;
  readonly mayChange: boolean;
}

/** What the account demands of people, with how many that concerns. */
export function PeopleSection({ policy, draft, onChange, mayChange }: PeopleSectionProps): ReactElement {
  const t = useMessages('securityPolicy');
  const me = usePerson();
  const hasOwn = me.hasTotp || me.passkeyCount > 0;
  // Switching it off is always possible.
  const isLocked = !mayChange || (!hasOwn && !draft.isSecondFactorRequired);
  return (
    <Section title={t.people}>
      <div className={classes['fields']}>
        <Switch
          classNames={{ track: classes['track'] }}
          label={t.secondFactor}
          description={t.secondFactorText}
          checked={draft.isSecondFactorRequired}
          disabled={isLocked}
          onChange={(event) => onChange({ isSecondFactorRequired: event.currentTarget.checked })}
        />
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
        {draft.isSecondFactorRequired && <Lacking />}
        <LimitField
          id="policy-sessionHours"
          label={t.sessionHours}
          description={t.sessionHoursText}
          unit={t.hours}
          unlimited={t.sessionUnlimited}
          isOn={draft.limitsSession}
          value={draft.sessionHours}
          max={720}
          error={policyErrors(draft).includes('sessionHours') ? t.hoursInvalid : undefined}
          isDisabled={!mayChange}
          onChange={(limitsSession, sessionHours) => onChange({ limitsSession, sessionHours })}
        />
      </div>
    </Section>
  );
}

const namesMax = 5;

/** Who has no second factor yet. */
function Lacking(): ReactElement | null {
  const t = useMessages('securityPolicy');
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

interface KeyAgeSectionProps {
  readonly policy: SecurityPolicy;
  readonly draft: PolicyDraft;
  readonly onChange: (part: Partial<PolicyDraft>) => void;
  readonly mayChange: boolean;
}

/** How old keys may get, with those that would end at once. */
export function KeyAgeSection({ policy, draft, onChange, mayChange }: KeyAgeSectionProps): ReactElement {
  const t = useMessages('securityPolicy');
  const isWrong = policyErrors(draft).includes('keyAgeDays');
  const days = draft.limitsKeyAge && !isWrong ? Number(draft.keyAgeDays) : undefined;
  const isNew = days !== undefined && days !== policy.keyAgeDaysMax;
  return (
    <Section title={t.keys}>
      <div className={classes['fields']}>
        <LimitField
          id="policy-keyAgeDays"
          label={t.keyAge}
          description={t.keyAgeText}
          unit={t.days}
          unlimited={t.keyUnlimited}
          isOn={draft.limitsKeyAge}
          value={draft.keyAgeDays}
          max={3650}
          error={isWrong ? t.daysInvalid : undefined}
          isDisabled={!mayChange}
          onChange={(limitsKeyAge, keyAgeDays) => onChange({ limitsKeyAge, keyAgeDays })}
        />
        {isNew && <EndingKeys days={days} />}
      </div>
    </Section>
  );
}

/** The keys that would be refused as soon as the policy is saved. */
function EndingKeys({ days }: { readonly days: number }): ReactElement | null {
  const t = useMessages('securityPolicy');
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

interface LimitFieldProps {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly unit: string;
  /** What holds without a limit. */
  readonly unlimited: string;
  readonly isOn: boolean;
  readonly value: number | string;
  readonly max: number;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (isOn: boolean, value: number | string) => void;
}

/** A limit that can be switched on, with its number. */
function LimitField(props: LimitFieldProps): ReactElement {
  const { id, label, description, unit, unlimited, isOn, value, max, error, isDisabled, onChange } = props;
  const unitId = useId();
  return (
    <div className={classes['limit']}>
      <Switch
        classNames={{ track: classes['track'] }}
        label={label}
        description={description}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked, value)}
      />
      {isOn ? (
        <div className={classes['number']}>
          <NumberInput
            id={id}
            aria-label={`${label} (${unit})`}
            value={value}
            min={1}
            max={max}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            disabled={isDisabled}
            error={error}
            onChange={(next) => onChange(isOn, next)}
            aria-describedby={unitId}
          />
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
