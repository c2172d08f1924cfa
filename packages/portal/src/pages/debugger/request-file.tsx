import { Button, FileButton } from '@mantine/core';
import { FileText, FolderOpen, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { FieldHint } from '../../components/field-hint.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';

const fileBytesMax = 20_000_000;

/** A file in the place of the text: its bytes are taken as they are, and stay in the page. */
export function RequestFile({
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
