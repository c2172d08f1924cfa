import type { Key } from '@countersign/contract';
import {
  isSigningAlgorithm,
  type KeyAlgorithmName,
  type SigningAlgorithmName,
  signingAlgorithms,
  usualAlgorithm,
} from '@countersign/contract/signing-algorithms';
import { Button, SegmentedControl, Tabs, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import fromFiles from 'virtual:snippets';
import { CodeBlock } from '../code/code-block.tsx';
import { AppLink } from '../components/app-link.tsx';
import { Notice } from '../components/notice.tsx';
import { savedKeyFile } from '../components/private-key-file.ts';
import { saveText } from '../components/save-text.ts';
import { documentPath } from '../documents/document-path.ts';
import { snippets as t } from '#messages/snippets.ts';
import { chooseProgrammingLanguage, useProgrammingLanguage } from '../session/programming-language.ts';
import { snippetCode, type SnippetLanguage, type SnippetValues } from './snippet.ts';
import classes from './snippets.module.css';
import { Step, Steps } from './steps.tsx';

const languages = fromFiles as readonly SnippetLanguage[];

export interface SnippetsProps {
  /** `features.baseUrl` of the session. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** The client's key; undefined if it has none. */
  readonly usedKey: Pick<Key, 'fingerprint' | 'algorithm'> | undefined;
}

/** Complete programs that sign requests, filled in for a client. */
export function Snippets({ baseUrl, clientId, usedKey }: SnippetsProps): ReactElement {
  const chosen = useProgrammingLanguage();
  const algorithm = closedAlgorithm(usedKey?.algorithm);
  // The packages are not on public registries yet; the programs without one sign with RSA keys only.
  const [isWithPackage, setIsWithPackage] = useState(algorithm !== usualAlgorithm);
  const [typedFile, setTypedFile] = useState<string>();
  const savedFile = savedKeyFile(usedKey?.fingerprint);
  const usualFile = savedFile ?? 'private.pem';
  const file = typedFile?.trim() || usualFile;
  return (
    <>
      <TextInput
        className={classes.file}
        label={t.privateKeyFile}
        description={savedFile === undefined ? t.privateKeyFileHint : t.savedKeyFileHint}
        value={typedFile ?? usualFile}
        onChange={(event) => setTypedFile(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <Tabs value={chosen} onChange={(next) => chooseProgrammingLanguage(next ?? chosen)} keepMounted={false}>
        <div className={classes.tabs}>
          <Tabs.List aria-label={t.languages} className={classes.tabList}>
            {languages.map(({ id, title }) => (
              <Tabs.Tab key={id} value={id}>
                {title}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        {languages.map((language) => (
          <Tabs.Panel key={language.id} value={language.id}>
            <Programs
              language={language}
              values={{ baseUrl: baseUrl.replace(/\/+$/, ''), clientId, privateKeyFile: file }}
              isWithPackage={isWithPackage}
              onWithPackage={setIsWithPackage}
              algorithm={algorithm}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

/** Returns what the programs sign with: the key's algorithm, if it is one of the closed profile. */
function closedAlgorithm(algorithm: KeyAlgorithmName | undefined): SigningAlgorithmName {
  return algorithm !== undefined && isSigningAlgorithm(algorithm) ? algorithm : usualAlgorithm;
}

interface ProgramsProps {
  readonly language: SnippetLanguage;
  readonly values: SnippetValues;
  readonly isWithPackage: boolean;
  readonly onWithPackage: (isWithPackage: boolean) => void;
  /** The key's. */
  readonly algorithm: SigningAlgorithmName;
}

function Programs({
  language,
  values,
  isWithPackage,
  onWithPackage,
  algorithm,
}: ProgramsProps): ReactElement {
  const { title, guide, withPackage, withoutPackage } = language;
  const snippet = isWithPackage ? withPackage : (withoutPackage ?? withPackage);
  const code = snippetCode(snippet, values);
  return (
    <div className={classes.program}>
      {withoutPackage && <WayToSign isWithPackage={isWithPackage} onWithPackage={onWithPackage} />}
      {snippet.isRsaOnly && algorithm !== usualAlgorithm && (
        <OtherKey algorithm={algorithm} isLacking={withPackage.isRsaOnly} />
      )}
      <p className={classes.note}>
        {snippet === withPackage ? t.aboutPackage : t.aboutNoPackage}{' '}
        <AppLink to={documentPath(guide, { clientId: values.clientId })} underline="always">
          {t.guide(title)}
        </AppLink>
      </p>
      <Steps>
        {snippet.install !== undefined && (
          <Step title={t.install} text={t.installHint}>
            <CodeBlock
              code={snippet.install}
              language="sh"
              label={t.installCommands(title)}
              copyLabel={t.installCommands(title)}
            />
          </Step>
        )}
        <Step
          title={t.save(snippet.fileName)}
          text={t.saveHint(values.privateKeyFile)}
          action={
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Download size={14} aria-hidden />}
              onClick={() => saveText(code, snippet.fileName.replace(/^.*\//, ''))}
            >
              {t.download}
            </Button>
          }
        >
          <CodeBlock
            code={code}
            language={snippet.language}
            label={t.code(title)}
            copyLabel={t.copyCode(title)}
          />
        </Step>
        <Step title={t.run}>
          <CodeBlock code={snippet.run} language="sh" label={t.runCommand} copyLabel={t.runCommand} />
        </Step>
      </Steps>
    </div>
  );
}

function WayToSign({
  isWithPackage,
  onWithPackage,
}: Pick<ProgramsProps, 'isWithPackage' | 'onWithPackage'>): ReactElement {
  return (
    <SegmentedControl
      className={classes.way}
      size="xs"
      aria-label={t.way}
      value={isWithPackage ? 'package' : 'none'}
      onChange={(next) => onWithPackage(next === 'package')}
      data={[
        { value: 'package', label: t.withPackage },
        { value: 'none', label: t.withoutPackage },
      ]}
    />
  );
}

interface OtherKeyProps {
  readonly algorithm: SigningAlgorithmName;
  /** True if the package lacks the key's kind too. */
  readonly isLacking: boolean;
}

/** Says that a program signs with RSA keys only, before it is tried with another. */
function OtherKey({ algorithm, isLacking }: OtherKeyProps): ReactElement {
  const { title, withPackage, withoutPackage } = t.rsaOnly;
  return (
    <Notice tone="warning" title={title(signingAlgorithms[algorithm].keyTitle)}>
      {isLacking ? withPackage : withoutPackage}
    </Notice>
  );
}
