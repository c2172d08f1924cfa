import type { Key } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { Countdown } from '../../keys/countdown.tsx';
import type { ClientView } from '../../clients/client-view.ts';
import { emptyKeyInputState, type KeyInputState } from '../../components/key-input/read-key-text.ts';
import { fileStem } from '../../components/key-input/save-text.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FieldHint } from '../../components/field-hint.tsx';
import { KeyInput } from '../../components/key-input/key-input.tsx';
import { Section } from '../../components/section.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useMessages } from '../../messages/messages.ts';
import classes from './rotate.module.css';
import { rotatePath } from './rotation-plan.ts';
import { type AddingKey, useAddKey } from './use-add-key.ts';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { shortFingerprint } from '../../audit/audit-facts.ts';
import { isUsable, rotationState } from '../../keys/rotation-state.ts';

interface NewKeyProps {
  readonly view: ClientView;
  /** The key that is replaced; undefined when none works. */
  readonly current: Key | undefined;
  readonly overlapSeconds: number;
}

/** The second step: the public half of the new key pair. */
export function NewKey({ view, current, overlapSeconds }: NewKeyProps): ReactElement {
  const t = useMessages('rotate').key;
  const [input, setInput] = useState<KeyInputState>(emptyKeyInputState);
  const [isChecked, setIsChecked] = useState(false);
  const adding = useAddKey(view, overlapSeconds);
  useUnsavedGuard(input.isDirty && !adding.isDone);
  const blocker = input.blocker ?? (input.key === undefined ? 'missing' : undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsChecked(true);
    if (blocker === undefined && input.key !== undefined)
      void adding.add(input.key.publicKeyPem, view.entityTag);
  };
  return (
    <Section title={current === undefined ? t.titleFirst : t.title} description={t.text}>
      <form onSubmit={submit} noValidate className={classes['form']}>
        <OverlapNote clientId={view.client.clientId} current={current} overlapSeconds={overlapSeconds} />
        <KeyInput onChange={setInput} fileStem={fileStem(view.client.name)} isRequired />
        {adding.error !== undefined && <ErrorNotice error={adding.error} />}
        <div role="status">
          {isChecked && blocker !== undefined && (
            <FieldHint tone="danger">{blocker === 'missing' ? t.missing : t.blockers[blocker]}</FieldHint>
          )}
        </div>
        <Group gap="sm">
          <Button type="submit" loading={adding.isAdding}>
            {t.submit}
          </Button>
          {current !== undefined && current.status !== 'retiring' && (
            <AppLink to={rotatePath(view.client.clientId, { overlapSeconds })} size="sm">
              {t.back}
            </AppLink>
          )}
        </Group>
      </form>
      <AddKeyConflict adding={adding} publicKeyPem={input.key?.publicKeyPem} />
    </Section>
  );
}

function OverlapNote({
  clientId,
  current,
  overlapSeconds,
}: Omit<NewKeyProps, 'view'> & { readonly clientId: string }): ReactElement {
  const { key: t, overlap } = useMessages('rotate');
  if (current === undefined) return <FieldHint tone="warning">{t.noKey}</FieldHint>;
  if (current.status === 'retiring' && current.endsAt !== undefined) {
    return (
      <FieldHint tone="warning">
        {t.endsAnyway} <Countdown to={current.endsAt} />
      </FieldHint>
    );
  }
  return (
    <FieldHint tone="info">
      {overlapSeconds === 0 ? t.overlapNone : t.overlap(overlap.span(overlapSeconds))}{' '}
      <AppLink to={rotatePath(clientId, { overlapSeconds })} inherit underline="always">
        {t.change}
      </AppLink>
    </FieldHint>
  );
}

/** Shows what changed while the new key was prepared: what the person saw, and what is there now. */
function AddKeyConflict({
  adding,
  publicKeyPem,
}: {
  readonly adding: AddingKey;
  readonly publicKeyPem: string | undefined;
}): ReactElement {
  const { conflict: t } = useMessages('rotate');
  const { statuses } = useMessages('client');
  const fingerprints = ({ keys }: ClientView): string =>
    keys
      .filter(isUsable)
      .map(({ fingerprint }) => shortFingerprint(fingerprint))
      .join(', ') || t.none;
  const replaced = ({ keys }: ClientView): string => {
    const state = rotationState(keys);
    return state.phase === 'start' && state.current !== undefined
      ? shortFingerprint(state.current.fingerprint)
      : t.none;
  };
  return (
    <ConflictDialog
      mine={adding.conflict?.seen}
      theirs={adding.conflict?.now}
      fields={[
        { label: t.replaced, show: replaced },
        { label: t.usable, show: fingerprints },
        { label: t.status, show: ({ client }) => statuses[client.status] },
      ]}
      onKeepMine={() =>
        publicKeyPem !== undefined && void adding.add(publicKeyPem, adding.conflict?.now.entityTag)
      }
      onTakeTheirs={adding.forgetConflict}
      isBusy={adding.isAdding}
    />
  );
}
