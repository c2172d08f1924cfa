import { operations } from '@countersign/contract/operations';
import { Select, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { ClientSelect } from '../../clients/client-select.tsx';
import { Section } from '../../components/section.tsx';
import { tryIt as t } from '#messages/try-it.ts';
import classes from './try-it.module.css';

/** The person's input. */
export interface RequestForm {
  readonly clientId: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface RequestFieldsProps {
  readonly form: RequestForm;
  readonly baseUrl: string;
  readonly pathMistake: string | undefined;
  readonly onChange: (changed: Partial<RequestForm>) => void;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const callable = Object.values(operations).filter(
  (operation) => !('callers' in operation) || operation.callers !== 'people',
);
const choices = callable.map(({ id, method, path }) => ({ value: id, label: `${method} ${path}` }));

/** Returns method and path of an operation that clients may call. */
export function operationRequest(id: string | null): Pick<RequestForm, 'method' | 'path'> | undefined {
  return callable.find((operation) => operation.id === id);
}

/** The fields for the operation or path to call, the client, and the body. */
export function RequestFields({ form, baseUrl, pathMistake, onChange }: RequestFieldsProps): ReactElement {
  const { clientId, method, path, body } = form;
  const chosen = callable.find((operation) => operation.method === method && operation.path === path);
  return (
    <Section title={t.request} description={t.requestText}>
      <div className={classes['fields']}>
        <ClientSelect
          label={t.client}
          placeholder={t.clientPlaceholder}
          nothingFound={t.noClient}
          value={clientId}
          onChange={(next) => onChange({ clientId: next })}
          className={classes['narrow']}
        />
        <Select
          label={t.operation}
          placeholder={t.operationPlaceholder}
          nothingFoundMessage={t.noOperation}
          data={choices}
          value={chosen?.id ?? null}
          searchable
          onChange={(id) => {
            const operation = operationRequest(id);
            if (operation) onChange({ method: operation.method, path: operation.path });
          }}
        />
        <div className={classes['line']}>
          <Select
            label={t.method}
            data={methods}
            value={method}
            allowDeselect={false}
            onChange={(next) => onChange({ method: next ?? method })}
            className={classes['method']}
          />
          <TextInput
            label={t.path}
            description={t.pathHint(baseUrl)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={path}
            error={pathMistake}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: classes['code'] ?? '' }}
            className={classes['path']}
            onChange={(event) => onChange({ path: event.currentTarget.value })}
          />
        </div>
        {method !== 'GET' && method !== 'HEAD' && (
          <Textarea
            label={t.body}
            description={t.bodyHint}
            value={body}
            autosize
            minRows={3}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: classes['code'] ?? '' }}
            onChange={(event) => onChange({ body: event.currentTarget.value })}
          />
        )}
      </div>
    </Section>
  );
}
