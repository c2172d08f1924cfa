import { SegmentedControl, Textarea } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { ClientSelect } from '../../clients/client-select.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import type { Form } from '../../components/form.tsx';
import { isPrivateKey } from '../../components/key-input/private-key-guard.ts';
import { FieldHint } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import { usePermission } from '../../session/session-context.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';
import { ProfileField } from './profile-field.tsx';
import type { Candidates } from './use-candidates.ts';
import type { DebugProfile } from './use-debug-profile.ts';

interface KeyFieldsProps {
  readonly form: Form<DebugForm>;
  readonly candidates: Candidates;
}

interface AllProps extends KeyFieldsProps {
  readonly profile: DebugProfile;
}

/** The key to check the signature with, and the profile of its client. */
export function KeyFields({ form, candidates, profile }: AllProps): ReactElement {
  const { keyFrom } = form.values;
  const choices = { client: t.ofClient, pasted: t.pasted, none: t.noKey };
  return (
    <Section
      title={t.key}
      description={t.keyText}
      actions={
        <SegmentedControl
          aria-label={t.keyFrom}
          size="sm"
          data={Object.entries(choices).map(([value, label]) => ({ value, label }))}
          value={keyFrom}
          onChange={(value) => form.set('keyFrom', value as DebugForm['keyFrom'])}
        />
      }
    >
      <div className={classes['fields']}>
        {keyFrom === 'client' && <ClientKeys form={form} candidates={candidates} />}
        {keyFrom === 'pasted' && <PastedKey form={form} candidates={candidates} />}
        {keyFrom === 'none' && <FieldHint>{t.keyText}</FieldHint>}
        <ProfileField form={form} profile={profile} />
      </div>
    </Section>
  );
}

function ClientKeys({ form, candidates }: KeyFieldsProps): ReactElement {
  const isAllowed = usePermission('keys:read');
  const { keys, isLoading, error } = candidates;
  const { clientId } = form.values;
  if (!isAllowed) return <FieldHint tone="warning">{t.mayNotSeeKeys}</FieldHint>;
  return (
    <>
      <ClientSelect
        label={t.client}
        placeholder={t.chooseClient}
        nothingFound={t.noClientFound}
        value={clientId}
        onChange={(chosen) => {
          form.set('clientId', chosen);
          form.set('profile', undefined);
        }}
        className={classes['narrow']}
      />
      <ErrorNotice error={error} />
      {clientId !== undefined && !error && (
        <FieldHint tone={!isLoading && keys.length === 0 ? 'warning' : 'neutral'} isLive>
          {isLoading ? t.keysLoading : keys.length === 0 ? t.noKeys : t.keysFound(keys.length)}
        </FieldHint>
      )}
    </>
  );
}

function PastedKey({ form, candidates: { reading } }: KeyFieldsProps): ReactElement {
  const { id } = form.field('publicKey');
  const [hadPrivateKey, setHadPrivateKey] = useState(false);
  const take = (text: string): void => {
    const isRejected = isPrivateKey(text);
    setHadPrivateKey(isRejected);
    form.set('publicKey', isRejected ? '' : text);
  };
  return (
    <>
      <Textarea
        label={t.publicKey}
        description={t.publicKeyHint}
        placeholder="-----BEGIN PUBLIC KEY-----"
        id={id}
        value={form.values.publicKey}
        onChange={(event) => take(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        classNames={{ input: classes['code'] }}
      />
      {hadPrivateKey && (
        <FieldHint tone="danger" isLive>
          {t.privateKey}
        </FieldHint>
      )}
      {reading.kind === 'accepted' && (
        <FieldHint tone="success" isLive>
          {reading.key.description} <code>{reading.key.fingerprint}</code>
        </FieldHint>
      )}
      {reading.kind === 'refused' && (
        <FieldHint tone="danger" isLive>
          {t.publicKeyRefused} {reading.advice}
        </FieldHint>
      )}
    </>
  );
}
