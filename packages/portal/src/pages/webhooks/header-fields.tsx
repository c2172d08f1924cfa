import { webhookLimits } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import { type ReactElement, useId } from 'react';
import type { Form } from '../../components/form.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { webhooks } from '#messages/webhooks.ts';
import type { HeaderDraft, WebhookDraft } from './webhook-draft.ts';
import classes from './webhooks.module.css';

const t = webhooks.form;

/** Custom headers, one a row. Stored values are not known here: they can be replaced or removed. */
export function HeaderFields({ form }: { readonly form: Form<WebhookDraft> }): ReactElement {
  const { headers } = form.values;
  const labelId = useId();
  const error = form.mistakes['headers'];
  const set = (next: readonly HeaderDraft[]): void => form.set('headers', next);
  const nextId = Math.max(-1, ...headers.map(({ id }) => id)) + 1;
  return (
    <div
      id={form.field('headers').id}
      tabIndex={-1}
      role="group"
      aria-labelledby={labelId}
      className={classes['groups']}
    >
      <span id={labelId} className={classes['groupTitle']}>
        {t.headers}
      </span>
      <p className={classes['hint']}>{t.headersHint}</p>
      {headers.map((header, index) => (
        <HeaderRow
          key={header.id}
          header={header}
          position={index + 1}
          onChange={(next) => set(headers.map((one) => (one.id === next.id ? next : one)))}
          onRemove={() => set(headers.filter(({ id }) => id !== header.id))}
        />
      ))}
      {error !== undefined && <FieldHint tone="danger">{error}</FieldHint>}
      {headers.length < webhookLimits.headersMax && (
        <div>
          <Button
            variant="default"
            size="sm"
            leftSection={<Plus size={16} aria-hidden />}
            onClick={() => set([...headers, { id: nextId, name: '', value: '', isStored: false }])}
          >
            {t.addHeader}
          </Button>
        </div>
      )}
    </div>
  );
}

interface HeaderRowProps {
  readonly header: HeaderDraft;
  readonly position: number;
  readonly onChange: (next: HeaderDraft) => void;
  readonly onRemove: () => void;
}

function HeaderRow({ header, position, onChange, onRemove }: HeaderRowProps): ReactElement {
  const { name, value, isStored } = header;
  return (
    <div className={classes['header']}>
      <TextInput
        aria-label={t.headerOf(t.headerName, position)}
        placeholder="x-api-key"
        value={name}
        readOnly={isStored}
        onChange={(event) => onChange({ ...header, name: event.currentTarget.value })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        type="password"
        aria-label={t.headerOf(t.headerValue, position)}
        placeholder={isStored ? t.headerStored : t.headerValue}
        value={value}
        onChange={(event) => onChange({ ...header, value: event.currentTarget.value })}
        autoComplete="new-password"
      />
      <Button
        variant="subtle"
        color="gray"
        onClick={onRemove}
        aria-label={t.removeHeader(name, position)}
        px="xs"
      >
        <Trash2 size={16} aria-hidden />
      </Button>
    </div>
  );
}
