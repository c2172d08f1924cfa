import { holdsPrivateKey } from '@countersign/signature';
import { Button, Checkbox, FileButton, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { FileText, FolderOpen, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import type { Form } from '../../components/form.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';

interface FieldsProps {
  readonly form: Form<DebugForm>;
}

/** Takes the request as text, as a file, or as fields. */
export function RequestSourceFields({ form }: FieldsProps): ReactElement {
  const { given, hasBody } = form.values;
  return (
    <Section
      title={t.request}
      description={t.requestText}
      actions={
        <SegmentedControl
          aria-label={t.howGiven}
          size="sm"
          data={[
            { value: 'text', label: t.asText },
            { value: 'fields', label: t.asFields },
          ]}
          value={given}
          onChange={(value) => form.set('given', value === 'fields' ? 'fields' : 'text')}
        />
      }
    >
      <div className={classes['fields']}>
        {given === 'text' ? <TextFields form={form} /> : <SingleFields form={form} />}
        <Checkbox
          label={t.hasBody}
          checked={hasBody}
          onChange={(event) => form.set('hasBody', event.currentTarget.checked)}
        />
        {hasBody && (
          <Textarea
            {...form.field('body')}
            label={t.body}
            description={t.bodyHint}
            autosize
            minRows={3}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: classes['code'] }}
          />
        )}
      </div>
    </Section>
  );
}

function TextFields({ form }: FieldsProps): ReactElement {
  const [hadPrivateKey, setHadPrivateKey] = useState(false);
  const take = (text: string): void => {
    const isPrivate = holdsPrivateKey(text);
    setHadPrivateKey(isPrivate);
    form.set('text', isPrivate ? '' : text);
    form.set('entry', undefined);
  };
  if (form.values.file !== undefined) return <RequestFile form={form} />;
  return (
    <>
      <Textarea
        {...form.field('text')}
        onChange={(event) => take(event.currentTarget.value)}
        label={t.text}
        placeholder={t.textPlaceholder}
        autosize
        minRows={9}
        maxRows={24}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        classNames={{ input: classes['code'] }}
      />
      {hadPrivateKey && (
        <FieldHint tone="danger" isLive>
          {t.privateKey}
        </FieldHint>
      )}
      <RequestFile form={form} />
    </>
  );
}

function SingleFields({ form }: FieldsProps): ReactElement {
  return (
    <>
      <div className={classes['target-fields']}>
        <TextInput
          {...form.field('method')}
          label={t.method}
          spellCheck={false}
          classNames={{ input: classes['code'] }}
        />
        <TextInput
          {...form.field('url')}
          label={t.url}
          placeholder="https://api.example.com/v1/payments?limit=10"
          spellCheck={false}
          inputMode="url"
          classNames={{ input: classes['code'] }}
        />
      </div>
      <Textarea
        {...form.field('headers')}
        label={t.headers}
        placeholder={'Date: Tue, 20 Apr 2021 02:07:55 GMT\nSignature-Input: sig=(…)\nSignature: sig=:…:'}
        autosize
        minRows={5}
        maxRows={20}
        spellCheck={false}
        classNames={{ input: classes['code'] }}
      />
    </>
  );
}

const fileBytesMax = 20_000_000;

/** A file instead of text. It stays in the page. */
function RequestFile({ form }: FieldsProps): ReactElement {
  const { file: shown } = form.values;
  const [problem, setProblem] = useState<string>();
  const change = (file: File | undefined): void => {
    setProblem(undefined);
    form.set('file', file);
    form.set('entry', undefined);
  };
  const open = async (file: File | null): Promise<void> => {
    if (file === null) return;
    if (file.size > fileBytesMax) return setProblem(t.fileTooLarge);
    const isReadable = await file.arrayBuffer().then(
      () => true,
      () => false,
    );
    if (isReadable) change(file);
    else setProblem(t.fileUnreadable);
  };
  if (shown !== undefined) {
    return (
      <div className={classes['file']}>
        <FileText size={16} aria-hidden />
        <bdi>{t.file(shown.name, shown.size)}</bdi>
        <Button
          variant="subtle"
          size="xs"
          color="gray"
          leftSection={<X size={13} aria-hidden />}
          onClick={() => change(undefined)}
        >
          {t.removeFile}
        </Button>
      </div>
    );
  }
  return (
    <div className={classes['open']}>
      <FileButton onChange={(file) => void open(file)}>
        {(props) => (
          <Button {...props} variant="default" size="xs" leftSection={<FolderOpen size={14} aria-hidden />}>
            {t.openFile}
          </Button>
        )}
      </FileButton>
      <span className={classes['hint']}>{t.openFileHint}</span>
      {problem !== undefined && (
        <FieldHint tone="danger" isLive>
          {problem}
        </FieldHint>
      )}
    </div>
  );
}
