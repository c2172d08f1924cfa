import type { RequestEntry } from '@countersign/contract';
import { Button, Menu } from '@mantine/core';
import { ChevronDown, Copy } from 'lucide-react';
import type { ReactElement } from 'react';
import { useCopy } from '../../components/copyable-text.tsx';
import { requestCopy as t } from '#messages/request-copy.ts';
import { useSession } from '../../session/session-context.ts';
import { curlCommandOf, signedCommandOf, testCaseOf } from './request-copy.ts';

/** Copies a request as a link, as commands that send it again, and as a test case. */
export function RequestCopyMenu({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const { baseUrl } = useSession().features;
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Copy size={14} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          {t.copy}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <CopyItem label={t.link} value={location.href} />
        <CopyItem label={t.signedCommand} value={signedCommandOf(entry, baseUrl)} />
        <CopyItem label={t.curl} value={curlCommandOf(entry, baseUrl)} />
        <CopyItem label={t.testCase} value={testCaseOf(entry, baseUrl)} />
        <Menu.Label>{t.notStored}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

function CopyItem({ label, value }: { readonly label: string; readonly value: string }): ReactElement {
  const { copy } = useCopy(value, label);
  return <Menu.Item onClick={copy}>{label}</Menu.Item>;
}
