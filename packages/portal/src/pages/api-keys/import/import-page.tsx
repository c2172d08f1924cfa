import { Button, Code, FileInput, Group, Stack } from '@mantine/core';
import { Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { clientPath } from '../../../clients/client-path.ts';
import { AppLink, LinkButton } from '../../../components/app-link.tsx';
import { type DataColumn, DataTable } from '../../../components/data-table.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Notice, StatusBadge } from '../../../components/notice.tsx';
import { Page } from '../../../components/page.tsx';
import { saveText } from '../../../components/save-text.ts';
import { Section } from '../../../components/section.tsx';
import { useAction } from '../../../components/use-action.ts';
import { isApiError } from '../../../api/api-error.ts';
import { clientImport as t } from '#messages/client-import.ts';
import { usePermission } from '../../../session/session-context.ts';
import { importColumns, importExample, importRowsOf } from './import-columns.ts';
import classes from './import.module.css';
import { readCsv } from './read-csv.ts';
import { type CheckedRow, useImport } from './use-import.ts';

const listPath = '/integrations/api-keys';
const bytesMax = 2_000_000;
const rowsMax = 1000;

/** Import clients: choose a file, check the preview, import. */
export default function ImportPage(): ReactElement {
  const mayAdd = usePermission('clients:write');
  return (
    <Page title={t.title} description={t.description} back={{ to: listPath, label: t.back }}>
      {mayAdd ? <ImportSteps /> : <Notice tone="info">{t.mayNot}</Notice>}
    </Page>
  );
}

function ImportSteps(): ReactElement {
  const { check, run } = useImport();
  const [mistake, setMistake] = useState<string>();
  const [rows, setRows] = useState<readonly CheckedRow[]>();
  const [isDone, setIsDone] = useState(false);
  const forget = (): void => {
    setRows(undefined);
    setMistake(undefined);
    setIsDone(false);
  };
  const checkFiles = async (files: readonly File[]): Promise<void> => {
    forget();
    const read = await readFiles(files);
    if (typeof read === 'string') setMistake(read);
    else setRows(await check(read));
  };
  const importRows = async (good: readonly CheckedRow[]): Promise<void> => {
    setRows(await run(good.map(({ line, client, mistakes }) => ({ line, client, mistakes }))));
    setIsDone(true);
  };
  return (
    <Stack gap="lg">
      <FileSection mistake={mistake} onChoose={forget} onCheck={checkFiles} />
      {rows && <RowsSection rows={rows} isDone={isDone} onImport={importRows} />}
    </Stack>
  );
}

interface FileSectionProps {
  readonly mistake: string | undefined;
  readonly onChoose: () => void;
  readonly onCheck: (files: readonly File[]) => Promise<void>;
}

/** Explains the file format, and takes the file. */
function FileSection({ mistake, onChoose, onCheck }: FileSectionProps): ReactElement {
  const [files, setFiles] = useState<readonly File[]>([]);
  const { isBusy, error, run } = useAction(() => onCheck(files));
  return (
    <Section title={t.file}>
      <Stack gap="md">
        <p className={classes['text']}>
          {t.columns} <Code>{[...importColumns, 'metadata.KEY'].join(', ')}</Code>. {t.format}
        </p>
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<Download size={14} aria-hidden />}
            onClick={() => saveText('clients-example.csv', importExample, 'text/csv')}
          >
            {t.example}
          </Button>
        </div>
        <FileInput
          label={t.choose}
          description={t.chooseHint}
          placeholder={t.choosePlaceholder}
          multiple
          clearable
          clearButtonProps={{ 'aria-label': t.clearFiles }}
          accept=".csv,.pem,.pub,.txt,text/csv"
          value={[...files]}
          error={mistake}
          onChange={(chosen) => {
            setFiles(chosen);
            onChoose();
          }}
        />
        <div>
          <Button disabled={files.length === 0} loading={isBusy} onClick={() => void run()}>
            {t.check}
          </Button>
        </div>
        <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
      </Stack>
    </Section>
  );
}

interface RowsSectionProps {
  readonly rows: readonly CheckedRow[];
  readonly isDone: boolean;
  readonly onImport: (good: readonly CheckedRow[]) => Promise<void>;
}

/** Shows the service's result for each row, and imports the rows without mistakes. */
function RowsSection({ rows, isDone, onImport }: RowsSectionProps): ReactElement {
  const good = rows.filter(({ mistakes }) => mistakes.length === 0);
  const { isBusy, error, run } = useAction(() => onImport(good));
  return (
    <Section title={isDone ? t.result : t.preview}>
      <Stack gap="md">
        <div role="status">
          {isDone ? (
            <Notice tone="success" title={t.imported(good.length)} />
          ) : (
            <Notice
              tone={good.length === rows.length ? 'info' : 'warning'}
              title={t.canImport(good.length, rows.length)}
            >
              {t.nothingYet}
            </Notice>
          )}
        </div>
        <DataTable label={t.preview} columns={columns} rows={rows} rowKey={({ line }) => String(line)} />
        <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
        <Group justify="flex-end">
          {isDone ? (
            <LinkButton to={listPath}>{t.toList}</LinkButton>
          ) : (
            <Button disabled={good.length === 0} loading={isBusy} onClick={() => void run()}>
              {t.import(good.length)}
            </Button>
          )}
        </Group>
      </Stack>
    </Section>
  );
}

const columns: readonly DataColumn<CheckedRow>[] = [
  { id: 'line', header: t.line, cell: ({ line }) => <span className="tabular">{line}</span> },
  {
    id: 'name',
    header: t.name,
    isRowHeader: true,
    cell: ({ client, clientId }) => {
      const name = typeof client['name'] === 'string' ? client['name'] : '';
      return clientId === undefined ? name : <AppLink to={clientPath(clientId)}>{name}</AppLink>;
    },
  },
  { id: 'status', header: t.status, cell: (row) => <RowStatus row={row} /> },
  { id: 'mistakes', header: t.mistakes, cell: (row) => <RowMistakes row={row} /> },
];

function RowStatus({ row: { mistakes, clientId } }: { readonly row: CheckedRow }): ReactElement {
  if (mistakes.length > 0) return <StatusBadge tone="danger">{t.hasMistakes}</StatusBadge>;
  return clientId === undefined ? (
    <StatusBadge tone="success">{t.isReady}</StatusBadge>
  ) : (
    <StatusBadge tone="success">{t.isImported}</StatusBadge>
  );
}

function RowMistakes({
  row: { mistakes, isNameTaken, clientId },
}: {
  readonly row: CheckedRow;
}): ReactElement {
  return (
    <ul className={classes['mistakes']}>
      {mistakes.map(({ column, text }, index) => (
        <li key={`${index} ${column}`}>
          {column !== '' && <strong>{column}: </strong>}
          {text}
        </li>
      ))}
      {isNameTaken && clientId === undefined && <li>{t.nameTaken}</li>}
    </ul>
  );
}

/** Reads the table and the key files; a text says what is wrong with them. */
async function readFiles(
  files: readonly File[],
): Promise<string | Exclude<ReturnType<typeof importRowsOf>, string>> {
  const tables = files.filter(({ name }) => name.toLowerCase().endsWith('.csv'));
  const [table] = tables;
  if (table === undefined || tables.length > 1) return t.oneTable;
  if (files.reduce((bytes, { size }) => bytes + size, 0) > bytesMax) return t.tooLarge;
  const keyFiles = new Map<string, string>();
  for (const file of files) if (file !== table) keyFiles.set(file.name, await file.text());
  const text = await readUtf8(table);
  if (text === undefined) return t.notUtf8;
  const reading = readCsv(text);
  if (!reading.ok) return t.unreadable(reading.line, t.csvMistakes[reading.mistake]);
  if (reading.rows.length > rowsMax + 1) return t.tooManyRows(rowsMax);
  return importRowsOf(reading.rows, keyFiles, t.words);
}

async function readUtf8(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return undefined;
  }
}
