import { readNetworkEntry } from '@countersign/contract';
import { Anchor, Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useRef, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { api } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';
import { isEveryone } from './entry-width.ts';
import { useClientChange } from '../../clients/use-client-change.ts';

const noValues = { entry: '', label: '' };

/** Adds one entry to a whitelist, in its canonical form; what lets everyone in is asked for once more. */
export function AddEntryForm({ clientId }: { readonly clientId: string }): ReactElement {
  const t = useMessages('client').network;
  const [values, setValues] = useState(noValues);
  const [isChecked, setIsChecked] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const reading = readNetworkEntry(values.entry);
  const { add, isAdding, error } = useAdd(clientId, values, () => {
    setValues(noValues);
    setIsChecked(false);
    field.current?.focus();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsChecked(true);
    if (!reading.ok) return field.current?.focus();
    if (isEveryone(reading.entry.text)) return setIsAsking(true);
    void add();
  };
  return (
    <form onSubmit={submit} noValidate aria-label={t.addTitle}>
      <div className={classes['fields']}>
        <TextInput
          ref={field}
          label={t.entry}
          description={t.addHint}
          value={values.entry}
          onChange={(event) => setValues({ ...values, entry: event.currentTarget.value })}
          error={isChecked && !reading.ok && reading.message}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'monospace' }}
        />
        <TextInput
          label={t.label}
          description={t.labelHint}
          value={values.label}
          onChange={(event) => setValues({ ...values, label: event.currentTarget.value })}
          maxLength={100}
        />
        <Button type="submit" variant="default" loading={isAdding} className={classes['fieldsButton']}>
          {t.add}
        </Button>
      </div>
      <ThisBrowser onChoose={(entry) => setValues({ ...values, entry })} chosen={values.entry} />
      {error !== undefined && <ErrorNotice error={error} />}
      {isAsking && (
        <ConfirmDialog
          opened
          onClose={() => setIsAsking(false)}
          title={t.everyoneTitle}
          confirmLabel={t.everyoneConfirm}
          isDangerous
          onConfirm={add}
        >
          <p>{t.everyoneText}</p>
        </ConfirmDialog>
      )}
    </form>
  );
}

function ThisBrowser({
  chosen,
  onChoose,
}: {
  readonly chosen: string;
  readonly onChoose: (entry: string) => void;
}): ReactElement | null {
  const t = useMessages('client').network;
  const { data } = useApiQuery('getSource');
  const address = data?.sourceAddress;
  if (address === undefined || address === chosen) return null;
  return (
    <Anchor component="button" type="button" size="sm" mt="xs" ta="start" onClick={() => onChoose(address)}>
      {t.thisBrowser(address)}
    </Anchor>
  );
}

function useAdd(
  clientId: string,
  { entry, label }: typeof noValues,
  onDone: () => void,
): { readonly add: () => Promise<void>; readonly isAdding: boolean; readonly error: unknown } {
  const t = useMessages('client').network;
  const change = useClientChange();
  const [isAdding, setIsAdding] = useState(false);
  const [error, setError] = useState<unknown>();
  const add = async (): Promise<void> => {
    const reading = readNetworkEntry(entry);
    if (!reading.ok) return;
    setIsAdding(true);
    setError(undefined);
    const body = { entry: reading.entry.text, ...(label !== '' && { label }) };
    try {
      await change(() => api.call('addNetworkEntry', { path: { clientId }, body }), t.entryAdded(body.entry));
      onDone();
    } catch (failure) {
      if (!isApiError(failure, 'cancelled')) setError(failure);
    } finally {
      setIsAdding(false);
    }
  };
  return { add, isAdding, error };
}
