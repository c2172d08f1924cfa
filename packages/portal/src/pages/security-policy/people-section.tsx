import type { Member, SecurityPolicy } from '@countersign/contract';
import { Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { FieldHint } from '../../components/field-hint.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePerson } from '../../session/session-context.ts';
import { LimitField } from './limit-field.tsx';
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
