import { Button, FileButton } from '@mantine/core';
import { FileKey2 } from 'lucide-react';
import { type DragEvent, type ReactElement, useState } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { keyFileText } from './key-file-text.ts';
import classes from './key-input.module.css';
import type { KeyTextReader } from './use-key-reading.ts';

/** A place to choose the file of a public key, or to drop it; it is read in the page. */
export function UploadPanel({ reader }: { readonly reader: KeyTextReader }): ReactElement {
  const t = useMessages('keyInput').upload;
  const [isOver, setIsOver] = useState(false);
  const [fileName, setFileName] = useState('');
  const readFile = async (file: File | null | undefined): Promise<void> => {
    if (!file) return;
    setFileName(file.name);
    const read = await keyFileText(file);
    if ('text' in read) reader.take(read.text);
    else reader.refuse(read.problem);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    void readFile(event.dataTransfer.files[0]);
  };
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDrop={drop}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
    >
      <FileKey2 size={26} strokeWidth={1.5} aria-hidden />
      <FileButton onChange={(file) => void readFile(file)} inputProps={{ 'aria-label': t.title }}>
        {(props) => (
          <Button {...props} variant="default">
            {t.title}
          </Button>
        )}
      </FileButton>
      <span>{t.drop}</span>
      <span>{fileName !== '' && reader.reading.kind !== 'none' ? t.chosen(fileName) : t.hint}</span>
    </div>
  );
}
