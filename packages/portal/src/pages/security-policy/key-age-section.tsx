import type { Client, SecurityPolicy } from '@countersign/contract';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { FieldHint } from '../../components/field-hint.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { LimitField } from './limit-field.tsx';
import { type PolicyDraft, policyErrors } from './policy-draft.ts';
import classes from './security-policy.module.css';

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
