import { Button, FileButton, Tabs, Textarea } from '@mantine/core';
import { FileKey2 } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type ReactElement, Suspense, useId, useState } from 'react';
import { keyInput as t } from '#messages/key-input.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { FieldHint } from '../notice.tsx';
import { LoadingLines } from '../query-state.tsx';
import { KeyAlgorithmField } from './key-algorithm-field.tsx';
import { keyFileText } from './key-file-text.ts';
import type { KeyInputState } from './key-input-state.ts';
import classes from './key-input.module.css';
import { KeyVerdict } from './key-verdict.tsx';
import { privateKeyReading } from './private-key-reading.ts';
import { type KeyInputModel, type KeyTextReader, type KeyWay, useKeyInput } from './use-key-input.ts';

const CommandLinePanel = lazyPart(async () => (await import('./command-line-panel.tsx')).CommandLinePanel);
const GeneratePanel = lazyPart(async () => (await import('./generate-panel.tsx')).GeneratePanel);

const ways: readonly KeyWay[] = ['paste', 'upload', 'generate', 'commandLine'];

export interface KeyInputProps {
  /** Called on every change. Pass `isDirty` to `useUnsavedGuard`, and do not submit while there is a `blocker`. */
  readonly onChange: (state: KeyInputState) => void;
  /** The profile of the client, which decides what its keys can be for. */
  readonly profile: string;
  /** The base name of saved files. */
  readonly clientName: string;
  /** The service's objection to the key. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** The ID that the form's summary links to. */
  readonly fieldId?: string;
}

/**
 * The input for a public key: paste, upload, generate, or use the command line. It recognizes the key while
 * the person types. A private key is rejected in the page: it is neither kept nor sent. A generated private
 * key exists only as long as this component.
 */
export function KeyInput(props: KeyInputProps): ReactElement {
  const model = useKeyInput(props.profile, props.onChange);
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

function KeyPanels({ model, clientName, error, isRequired = false }: KeyPanelsProps): ReactElement {
  const verdictId = useId();
  const { reader, way, changeWay, purpose } = model;
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
        <Suspense fallback={<LoadingLines />}>
          <GeneratePanel
            allowed={model.allowed}
            pair={model.pair}
            isSaved={model.isSaved}
            clientName={clientName}
            onGenerated={model.setPair}
            onSaved={model.setIsSaved}
            onDiscard={model.askToDiscard}
          />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="commandLine">
        <Suspense fallback={<LoadingLines />}>
          <CommandLinePanel
            allowed={model.allowed}
            clientName={clientName}
            onPaste={() => changeWay('paste')}
            onUpload={() => changeWay('upload')}
          />
        </Suspense>
      </Tabs.Panel>
      <div id={verdictId} className={classes.verdict}>
        {error !== undefined && <FieldHint tone="danger">{error}</FieldHint>}
        {(way === 'paste' || way === 'upload') && (
          <KeyVerdict reading={reader.reading} onGenerate={() => changeWay('generate')} />
        )}
        {purpose !== undefined && purpose.algorithm === undefined && (
          <FieldHint tone="danger">{t.algorithm.notInProfile}</FieldHint>
        )}
        {purpose !== undefined && <KeyAlgorithmField purpose={purpose} onChange={model.chooseAlgorithm} />}
      </div>
    </div>
  );
}

interface PastePanelProps {
  readonly reader: KeyTextReader;
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  readonly describedBy: string;
}

/** The field for a pasted key. A private key never gets into it. */
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
      // Some browsers send field contents to a spelling service.
      spellCheck={false}
      autoComplete="off"
      autoCorrect="off"
      autoCapitalize="off"
      data-gramm="false"
      classNames={{ input: classes.textarea }}
    />
  );
}

/** Takes a key file by choosing or dropping it. It is read in the page. */
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
