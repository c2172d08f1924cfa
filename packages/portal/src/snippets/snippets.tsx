import { Button, Tabs, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { CodeBlock } from '../code/code-block.tsx';
import { AppLink } from '../components/app-link.tsx';
import { CopyButton } from '../components/copyable-text.tsx';
import { saveText } from '../components/save-text.ts';
import { documentPath } from '../documents/document-path.ts';
import { snippets as t } from '../messages/en/snippets.ts';
import { snippets } from './languages.ts';
import { type Snippet, snippetCode, type SnippetValues } from './snippet.ts';
import classes from './snippets.module.css';

export interface SnippetsProps {
  /** `features.baseUrl` of the session. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** What *Generate here* saves the client's private key as. */
  readonly privateKeyFile: string;
}

/** Complete programs that sign requests, filled in for a client. */
export function Snippets({ baseUrl, clientId, privateKeyFile }: SnippetsProps): ReactElement {
  const [chosen, setChosen] = useState(snippets[0]?.id ?? '');
  const [typedFile, setTypedFile] = useState<string>();
  const file = typedFile?.trim() || privateKeyFile;
  return (
    <>
      <TextInput
        className={classes.file}
        label={t.privateKeyFile}
        description={t.privateKeyFileHint}
        value={typedFile ?? privateKeyFile}
        onChange={(event) => setTypedFile(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <Tabs value={chosen} onChange={(next) => setChosen(next ?? chosen)} keepMounted={false}>
        <div className={classes.tabs}>
          <Tabs.List aria-label={t.languages} className={classes.tabList}>
            {snippets.map(({ id, title }) => (
              <Tabs.Tab key={id} value={id}>
                {title}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        {snippets.map((snippet) => (
          <Tabs.Panel key={snippet.id} value={snippet.id}>
            <Program
              snippet={snippet}
              values={{ baseUrl: baseUrl.replace(/\/+$/, ''), clientId, privateKeyFile: file }}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

interface ProgramProps {
  readonly snippet: Snippet;
  readonly values: SnippetValues;
}

function Program({ snippet, values }: ProgramProps): ReactElement {
  const code = snippetCode(snippet, values);
  return (
    <div className={classes.program}>
      <p className={classes.note}>
        {t.key(values.privateKeyFile)}{' '}
        <AppLink to={documentPath(snippet.guide, { clientId: values.clientId })} underline="always">
          {t.guide}
        </AppLink>
      </p>
      <div className={classes.head}>
        <dl className={classes.facts}>
          <div>
            <dt>{t.fileName}</dt>
            <dd>
              <code>{snippet.fileName}</code>
            </dd>
          </div>
          <div>
            <dt>{t.run}</dt>
            <dd>
              <code>{snippet.command}</code>
              <CopyButton value={snippet.command} label={t.copyCommand} />
            </dd>
          </div>
        </dl>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          onClick={() => saveText(code, snippet.fileName)}
        >
          {t.download}
        </Button>
      </div>
      <CodeBlock
        code={code}
        language={snippet.language}
        label={t.code(snippet.title)}
        copyLabel={t.copyCode(snippet.title)}
      />
    </div>
  );
}
