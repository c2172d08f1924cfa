import type { Key } from '@countersign/contract';
import { TextInput } from '@mantine/core';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { clientPath } from '../../../clients/client-path.ts';
import { RolesField } from '../../../clients/roles-field.tsx';
import { KeyStatusBadge } from '../../../clients/status-badges.tsx';
import { announce } from '../../../components/announce.ts';
import { LinkButton } from '../../../components/app-link.tsx';
import { CopyableText } from '../../../components/copyable-text.tsx';
import type { Form } from '../../../components/form.tsx';
import { LoadingLines } from '../../../components/query-state.tsx';
import { Section } from '../../../components/section.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { networkEditor } from '#messages/network-editor.ts';
import { NetworkEditor } from '../../../network/network-editor.tsx';
import { lazyPart } from '../../../session/lazy-part.ts';
import { usePermission } from '../../../session/session-context.ts';
import { type ClientForm, entryKey } from './client-form.ts';
import classes from '../../../components/form-page.module.css';
import { SignatureFields } from './signature-fields.tsx';

const t = apiKeys.form;

/** Clients that are updated have a key already. */
const KeyInput = lazyPart(async () => (await import('../../../components/key-input/key-input.tsx')).KeyInput);

interface ClientFieldsProps {
  readonly form: Form<ClientForm>;
  /** The section for the public key, between network and roles. */
  readonly publicKey: ReactNode;
  /** Undefined for a new client. */
  readonly clientId?: string | undefined;
  /** The profile that the client has; undefined for a new client. */
  readonly savedProfile?: string | undefined;
}

/** The fields of Add client and Update, in the order of the specification. */
export function ClientFields({ form, publicKey, clientId, savedProfile }: ClientFieldsProps): ReactElement {
  return (
    <>
      <Section title={t.name}>
        <TextInput
          {...form.field('name')}
          aria-label={t.name}
          description={t.nameHint}
          inputWrapperOrder={['input', 'error', 'description']}
          maxLength={200}
          maw={480}
          required
          withAsterisk={false}
          autoComplete="off"
          data-1p-ignore
        />
      </Section>
      <Section title={networkEditor.title} description={networkEditor.description}>
        <ClientNetwork form={form} clientId={clientId} />
      </Section>
      {publicKey}
      <Section title={t.roles} description={t.rolesDescription}>
        <RolesField
          id={form.field('roles').id}
          label={t.roles}
          value={form.values.roles}
          onChange={(roles) => form.set('roles', roles)}
          error={form.mistakes['roles']}
        />
      </Section>
      <SignatureFields form={form} savedProfile={savedProfile} clientId={clientId} />
    </>
  );
}

function ClientNetwork({ form, clientId }: Pick<ClientFieldsProps, 'form' | 'clientId'>): ReactElement {
  const { network, draft } = form.values;
  const { id } = form.field('network');
  return (
    <NetworkEditor
      items={network}
      onAdd={(added) => form.set('network', [...network, ...added])}
      onRemove={({ entry }) => {
        form.set(
          'network',
          network.filter((item) => item.entry !== entry),
        );
        announce(networkEditor.removed(entry));
        // The focused button is gone.
        document.getElementById(id)?.focus();
      }}
      onLabel={(entry, label) =>
        form.set(
          'network',
          network.map((item) => (item.entry === entry ? { entry, label } : item)),
        )
      }
      draft={draft}
      onDraftChange={(text) => form.set('draft', text)}
      fieldId={id}
      error={form.mistakes['network']}
      entryError={(entry) => form.mistakes[entryKey(entry)]}
      clientId={clientId}
    />
  );
}

interface PublicKeySectionProps {
  readonly form: Form<ClientForm>;
  readonly description: string;
}

export function PublicKeySection({ form, description }: PublicKeySectionProps): ReactElement {
  return (
    <Section title={t.publicKey} description={description}>
      <Suspense fallback={<LoadingLines />}>
        <KeyInput
          fieldId={form.field('publicKey').id}
          profile={form.values.profile}
          clientName={form.values.name}
          onChange={(state) => form.set('publicKey', state)}
          error={form.mistakes['publicKey']}
        />
      </Suspense>
    </Section>
  );
}

interface PresentKeysProps {
  readonly clientId: string;
  readonly keys: readonly Key[];
}

/** The client's keys. Rotating is the way to change them. */
export function PresentKeys({ clientId, keys }: PresentKeysProps): ReactElement {
  const mayRotate = usePermission('keys:write');
  return (
    <Section
      title={apiKeys.form.publicKey}
      description={apiKeys.form.publicKeyOfUpdate}
      actions={
        mayRotate &&
        keys.length > 0 && (
          <LinkButton variant="default" to={clientPath(clientId, '/rotate')}>
            {apiKeys.actions.rotate}
          </LinkButton>
        )
      }
    >
      <ul className={classes.keys}>
        {keys.map((key) => (
          <li key={key.keyId}>
            <KeyStatusBadge status={key.status} />
            <CopyableText value={key.fingerprint} label={apiKeys.result.fingerprint} />
          </li>
        ))}
        {keys.length === 0 && <li>{apiKeys.table.noKeys}</li>}
      </ul>
    </Section>
  );
}
