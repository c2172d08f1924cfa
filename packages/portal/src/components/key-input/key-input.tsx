import { Tabs } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { FieldHint } from '../field-hint.tsx';
import { CommandLinePanel } from './command-line-panel.tsx';
import { GeneratePanel } from './generate-panel.tsx';
import type { KeyInputState } from './key-input-state.ts';
import classes from './key-input.module.css';
import { KeyVerdict } from './key-verdict.tsx';
import { PastePanel } from './paste-panel.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { type KeyInputModel, type KeyWay, useKeyInput } from './use-key-input.ts';

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
  const t = useMessages('keyInput');
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
