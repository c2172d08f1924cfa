import { holdsPrivateKey } from '@countersign/signature';
import { Button, Checkbox, FileButton, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { FieldHint } from '../../components/field-hint.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';
import { FileText, FolderOpen, X } from 'lucide-react';

interface FieldsProps {
  readonly form: DebugForm;
  readonly onChange: (part: Partial<DebugForm>) => void;
}

/** Where the request comes from: a text or a file, or fields. */
export function RequestSourceFields({ form, onChange }: FieldsProps): ReactElement {
  const t = useMessages('signatureDebugger');
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
          value={form.given}
          onChange={(given) => onChange({ given: given === 'fields' ? 'fields' : 'text' })}
        />
      }
    >
      <div className={classes['fields']}>
        {form.given === 'text' ? (
          <TextFields form={form} onChange={onChange} />
        ) : (
          <SingleFields form={form} onChange={onChange} />
        )}
        <Checkbox
          label={t.hasBody}
          checked={form.hasBody}
          onChange={(event) => onChange({ hasBody: event.currentTarget.checked })}
        />
        {form.hasBody && (
          <Textarea
            label={t.body}
            description={t.bodyHint}
            value={form.body}
            onChange={(event) => onChange({ body: event.currentTarget.value })}
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

function TextFields({ form, onChange }: FieldsProps): ReactElement {
  const t = useMessages('signatureDebugger');
  const [hadPrivateKey, setHadPrivateKey] = useState(false);
  const take = (text: string): void => {
    const isPrivate = holdsPrivateKey(text);
    setHadPrivateKey(isPrivate);
    onChange({ text: isPrivate ? '' : text, entry: undefined });
  };
  if (form.file !== undefined) return <RequestFile form={form} onChange={onChange} />;
  return (
    <>
      <Textarea
        id="debug-request"
        label={t.text}
        placeholder={t.textPlaceholder}
        value={form.text}
        onChange={(event) => take(event.currentTarget.value)}
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
      <RequestFile form={form} onChange={onChange} />
    </>
  );
}

function SingleFields({ form, onChange }: FieldsProps): ReactElement {
  const t = useMessages('signatureDebugger');
  return (
    <>
      <div className={classes['target-fields']}>
        <TextInput
          id="debug-method"
          label={t.method}
          value={form.method}
          onChange={(event) => onChange({ method: event.currentTarget.value })}
          spellCheck={false}
          classNames={{ input: classes['code'] }}
        />
        <TextInput
          id="debug-url"
          label={t.url}
          placeholder="https://api.example.com/v1/payments?limit=10"
          value={form.url}
          onChange={(event) => onChange({ url: event.currentTarget.value })}
          spellCheck={false}
          inputMode="url"
          classNames={{ input: classes['code'] }}
        />
      </div>
      <Textarea
        label={t.headers}
        placeholder={'Date: Tue, 20 Apr 2021 02:07:55 GMT\nSignature-Input: sig=(…)\nSignature: sig=:…:'}
        value={form.headers}
        onChange={(event) => onChange({ headers: event.currentTarget.value })}
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

/** A file in the place of the text: its bytes are taken as they are, and stay in the page. */
function RequestFile({
  form,
  onChange,
}: {
  readonly form: DebugForm;
  readonly onChange: (part: Partial<DebugForm>) => void;
}): ReactElement {
  const t = useMessages('signatureDebugger');
  const [problem, setProblem] = useState<string>();
  const open = async (file: File | null): Promise<void> => {
    if (file === null) return;
    if (file.size > fileBytesMax) return setProblem(t.fileTooLarge);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      setProblem(undefined);
      onChange({ file: { name: file.name, bytes }, entry: undefined });
    } catch {
      setProblem(t.fileUnreadable);
    }
  };
  if (form.file !== undefined) {
    const { name, bytes } = form.file;
    return (
      <div className={classes['file']}>
        <FileText size={16} aria-hidden />
        <bdi>{t.file(name, bytes.length)}</bdi>
        <Button
          variant="subtle"
          size="xs"
          color="gray"
          leftSection={<X size={13} aria-hidden />}
          onClick={() => onChange({ file: undefined, entry: undefined })}
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
