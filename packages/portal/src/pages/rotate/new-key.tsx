import type { Key } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { type FormEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { shortFingerprint } from '../../audit/audit-facts.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { KeyInput } from '../../components/key-input/key-input.tsx';
import { emptyKeyInputState, type KeyInputState } from '../../components/key-input/key-input-state.ts';
import { FieldHint } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { isNoFutureTime, readLocalTimeInUtc } from '../../components/time-words.ts';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { Countdown } from '../../keys/countdown.tsx';
import { KeyEndField } from '../../keys/key-end-field.tsx';
import { isUsable, rotationState } from '../../keys/rotation-state.ts';
import { client as clientWords } from '#messages/client.ts';
import { keyExpiry } from '#messages/key-expiry.ts';
import { rotate } from '#messages/rotate.ts';
import classes from './rotate.module.css';
import { rotatePath } from './rotation-plan.ts';
import { type AddingKey, type NewPublicKey, useAddKey } from './use-add-key.ts';

interface NewKeyProps {
  readonly view: ClientView;
  /** The key to replace, if one works. */
  readonly current: Key | undefined;
  readonly overlapSeconds: number;
}

/** The second step: the public key of the new pair. */
export function NewKey({ view, current, overlapSeconds }: NewKeyProps): ReactElement {
  const t = rotate.key;
  const { clientId, name, profile } = view.client;
  const form = useForm({
    initialValues: { publicKey: emptyKeyInputState, keyEnd: '' },
    validate: ({ publicKey: { blocker, key: read }, keyEnd }) => ({
      publicKey: blocker ? t.blockers[blocker] : read === undefined ? t.missing : undefined,
      keyEnd: isNoFutureTime(keyEnd) ? keyExpiry.past : undefined,
    }),
  });
  const { publicKey } = form.values;
  const toAdd = newKeyOf(form.values);
  const adding = useAddKey(view, overlapSeconds);
  useUnsavedGuard(publicKey.isDirty && !adding.isDone);
  const send = form.submit(() => toAdd !== undefined && adding.add(toAdd, view.entityTag));
  const { ref, submit, isWaiting } = useSubmitWhenRead(publicKey.blocker === 'reading', send);
  return (
    <Section title={current === undefined ? t.titleFirst : t.title} description={t.text}>
      <form ref={ref} onSubmit={submit} noValidate className={classes['form']}>
        <OverlapNote clientId={clientId} current={current} overlapSeconds={overlapSeconds} />
        <KeyInput
          onChange={(state) => form.set('publicKey', state)}
          profile={profile}
          clientName={name}
          isRequired
        />
        <KeyEndField {...form.field('keyEnd')} />
        <ErrorNotice error={adding.error} />
        <div role="status">
          {form.mistakes['publicKey'] && <FieldHint tone="danger">{form.mistakes['publicKey']}</FieldHint>}
        </div>
        <Group gap="sm">
          <Button type="submit" loading={adding.isAdding || isWaiting}>
            {t.submit}
          </Button>
          {current !== undefined && current.status !== 'retiring' && (
            <AppLink to={rotatePath(clientId, { overlapSeconds })} size="sm">
              {t.back}
            </AppLink>
          )}
        </Group>
      </form>
      <AddKeyConflict view={view} adding={adding} toAdd={toAdd} />
    </Section>
  );
}

function newKeyOf({
  publicKey: { key, algorithm },
  keyEnd,
}: {
  readonly publicKey: KeyInputState;
  readonly keyEnd: string;
}): NewPublicKey | undefined {
  return key && { publicKey: key.publicKeyPem, algorithm, endsAt: readLocalTimeInUtc(keyEnd) };
}

/** Keeps a submission while the key is being read, which takes a moment after it was pasted, and repeats it afterwards. */
function useSubmitWhenRead(isReading: boolean, send: (event: FormEvent) => void) {
  const ref = useRef<HTMLFormElement>(null);
  const [isWaiting, setIsWaiting] = useState(false);
  useEffect(() => {
    if (!isWaiting || isReading) return;
    setIsWaiting(false);
    ref.current?.requestSubmit();
  }, [isWaiting, isReading]);
  const submit = (event: FormEvent): void => {
    if (!isReading) return send(event);
    event.preventDefault();
    setIsWaiting(true);
  };
  return { ref, submit, isWaiting };
}

interface OverlapNoteProps extends Omit<NewKeyProps, 'view'> {
  readonly clientId: string;
}

function OverlapNote({ clientId, current, overlapSeconds }: OverlapNoteProps): ReactElement {
  const { key: t, overlap } = rotate;
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

interface AddKeyConflictProps {
  readonly view: ClientView;
  readonly adding: AddingKey;
  readonly toAdd: Parameters<AddingKey['add']>[0] | undefined;
}

/** Compares the state the person saw with the current one. */
function AddKeyConflict({ view, adding, toAdd }: AddKeyConflictProps): ReactElement {
  const { conflict: t } = rotate;
  const { statuses } = clientWords;
  const { conflict, add, forgetConflict, isAdding } = adding;
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
    <ConflictDialog<ClientView>
      mine={conflict?.seen ?? view}
      saving={{
        theirs: conflict?.now,
        isBusy: isAdding,
        dismissConflict: forgetConflict,
        async saveOverTheirs() {
          if (toAdd !== undefined) await add(toAdd, conflict?.now.entityTag);
        },
      }}
      fields={[
        { label: t.replaced, show: replaced },
        { label: t.usable, show: fingerprints },
        { label: t.status, show: ({ client }) => statuses[client.status] },
      ]}
      onTakeTheirs={forgetConflict}
    />
  );
}
