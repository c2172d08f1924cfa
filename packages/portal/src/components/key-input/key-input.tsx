import { Button, FileButton, Tabs, Textarea } from '@mantine/core';
import { type ClipboardEvent, type DragEvent, type ReactElement, useId, useState } from 'react';
import { keyInput as t } from '../../messages/en/key-input.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { FieldHint } from '../notice.tsx';
import { CommandLinePanel } from './command-line-panel.tsx';
import { GeneratePanel } from './generate-panel.tsx';
import { type KeyInputState, privateKeyReading } from './read-key-text.ts';
import classes from './key-input.module.css';
import { KeyVerdict } from './key-verdict.tsx';
import { type KeyInputModel, type KeyTextReader, type KeyWay, useKeyInput } from './use-key-input.ts';
import { FileKey2 } from 'lucide-react';
import { keyFileText } from './key-file-text.ts';

const ways: readonly KeyWay[] = ['paste', 'upload', 'generate', 'commandLine'];

/** What the key box needs. */
export interface KeyInputProps {
  /** Told at every change. Give `isDirty` to `useUnsavedGuard`, and send nothing while there is a `blocker`. */
  readonly onChange: (state: KeyInputState) => void;
  /** The names of files that are saved begin with it: `fileStem(name)` makes it of the name of a client. */
  readonly fileStem: string;
  /** What the service said of the key that was sent. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** The id of the box, for links to it from a summary of errors. */
  readonly fieldId?: string;
}

/**
 * The box for a public key: paste, upload, generate here, or the lines for the command line. It recognises what it gets
 * while it gets it. A private key is refused in the page: it is not kept, and not one byte of it is sent.
 *
 * A private key that was made here lives in this component, and goes with it.
 */
export function KeyInput(props: KeyInputProps): ReactElement {
  const model = useKeyInput(props.onChange);
  return (
    <Tabs
      {...(props.fieldId !== undefined && { id: props.fieldId })}
      tabIndex={-1}
      className={classes.box ?? ''}
      value={model.way}
      onChange={(next) => model.changeWay(next as KeyWay)}
      keepMounted={false}
    >
      <div className={classes.tabs}>
        <Tabs.List aria-label={t.waysLabel} className={classes.tabList}>
          {ways.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t.ways[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      <KeyPanels {...props} model={model} />
      <ConfirmDialog
        opened={model.isAskingToDiscard}
        onClose={model.keepPair}
        title={t.discard.title}
        confirmLabel={t.discard.confirm}
        isDangerous
        onConfirm={model.discardPair}
      >
        {t.discard.text}
      </ConfirmDialog>
    </Tabs>
  );
}

interface KeyPanelsProps extends KeyInputProps {
  readonly model: KeyInputModel;
}

/** What each tab shows, and what was recognised. */
function KeyPanels({ model, fileStem, error, isRequired = false }: KeyPanelsProps): ReactElement {
  const verdictId = useId();
  const { reader, way, changeWay } = model;
  return (
    <div className={classes.panel}>
      <Tabs.Panel value="paste">
        <PastePanel
          reader={reader}
          isWrong={error !== undefined}
          isRequired={isRequired}
          describedBy={verdictId}
        />
      </Tabs.Panel>
      <Tabs.Panel value="upload">
        <UploadPanel reader={reader} />
      </Tabs.Panel>
      <Tabs.Panel value="generate">
        <GeneratePanel
          pair={model.pair}
          isSaved={model.isSaved}
          fileStem={fileStem}
          onGenerated={model.setPair}
          onSaved={model.setIsSaved}
          onDiscard={model.askToDiscard}
        />
      </Tabs.Panel>
      <Tabs.Panel value="commandLine">
        <CommandLinePanel onPaste={() => changeWay('paste')} onUpload={() => changeWay('upload')} />
      </Tabs.Panel>
      <div id={verdictId} className={classes.verdict}>
        {error !== undefined && <FieldHint tone="danger">{error}</FieldHint>}
        {(way === 'paste' || way === 'upload') && (
          <KeyVerdict reading={reader.reading} onGenerate={() => changeWay('generate')} />
        )}
      </div>
    </div>
  );
}

/** What `PastePanel` needs. */
interface PastePanelProps {
  readonly reader: KeyTextReader;
  /** Whether the service has refused the key. */
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  readonly describedBy: string;
}

/** The field for the text of a public key. A private key does not even get into it. */
function PastePanel({ reader, isWrong, isRequired, describedBy }: PastePanelProps): ReactElement {
  const keepOut = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const pasted = event.clipboardData.getData('text/plain');
    if (privateKeyReading(pasted) === undefined) return;
    event.preventDefault();
    reader.take(pasted);
  };
  const isRefused = reader.reading.kind === 'refused' || reader.reading.kind === 'private-key';
  return (
    <Textarea
      aria-label={t.fieldLabel}
      aria-describedby={describedBy}
      aria-required={isRequired}
      description={t.paste.hint}
      inputWrapperOrder={['input', 'error', 'description']}
      placeholder={t.paste.placeholder}
      value={reader.text}
      error={isWrong || isRefused}
      onPaste={keepOut}
      onChange={(event) => reader.take(event.currentTarget.value)}
      autosize
      minRows={5}
      maxRows={12}
      // Some browsers send what is in a field to a service that checks the spelling.
      spellCheck={false}
      autoComplete="off"
      autoCorrect="off"
      autoCapitalize="off"
      data-gramm="false"
      classNames={{ input: classes.textarea }}
    />
  );
}

/** A place to choose the file of a public key, or to drop it; it is read in the page. */
function UploadPanel({ reader }: { readonly reader: KeyTextReader }): ReactElement {
  const words = t.upload;
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
      <FileButton onChange={(file) => void readFile(file)} inputProps={{ 'aria-label': words.title }}>
        {(props) => (
          <Button {...props} variant="default">
            {words.title}
          </Button>
        )}
      </FileButton>
      <span>{words.drop}</span>
      <span>{fileName !== '' && reader.reading.kind !== 'none' ? words.chosen(fileName) : words.hint}</span>
    </div>
  );
}
