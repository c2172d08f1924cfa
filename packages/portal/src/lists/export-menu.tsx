import { Button, Menu } from '@mantine/core';
import { ChevronDown, Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { announce } from '../components/announce.ts';
import { notify } from '../components/notify.ts';
import { exporting as t } from '#messages/exporting.ts';
import { exportFile, type ExportForm, type ExportOrder } from './export-file.ts';

/** Exports everything a list's filters select, not only what is shown. */
export function ExportMenu({
  order,
  isDisabled = false,
}: {
  /** Called on export, because relative periods move on. */
  readonly order: () => ExportOrder;
  readonly isDisabled?: boolean;
}): ReactElement {
  const [isBusy, setIsBusy] = useState(false);
  const run = async (form: ExportForm): Promise<void> => {
    setIsBusy(true);
    announce(t.preparing);
    try {
      const { rows, isComplete } = await exportFile(order(), form);
      notify.success(isComplete ? t.saved(rows) : t.savedPart(rows));
    } catch (error) {
      notify.error(error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Download size={15} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden />}
          loading={isBusy}
          disabled={isDisabled}
        >
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void run('csv')}>{t.asCsv}</Menu.Item>
        <Menu.Item onClick={() => void run('json')}>{t.asJson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
