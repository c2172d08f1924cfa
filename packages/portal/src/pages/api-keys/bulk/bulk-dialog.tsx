import type { BulkAction, ClientsChange } from '@countersign/contract';
import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import { api } from '../../../api/api.ts';
import { useAccountId } from '../../../api/current-account.ts';
import { useReturnFocus } from '../../../components/use-return-focus.ts';
import { clientBulk as t } from '#messages/client-bulk.ts';
import type { BulkChoice } from './bulk-choice.ts';
import { bulkChangeOf, type BulkDraft, type BulkRequest, emptyBulkDraft } from './bulk-draft.ts';
import { BulkFields } from './bulk-fields.tsx';
import { BulkDone, BulkPreview } from './bulk-outcome.tsx';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly choice: BulkChoice | undefined;
  readonly total: number | undefined;
  readonly onClose: () => void;
}

/** The current step: entering a change, its preview, or its outcome. */
type Step =
  | { readonly name: 'enter' }
  | { readonly name: 'preview'; readonly preview: ClientsChange }
  | { readonly name: 'done'; readonly done: ClientsChange };

/** Changes many clients: the input, a preview by the service, and the outcome. */
export default function BulkDialog({ action, choice, total, onClose }: BulkDialogProps): ReactElement {
  // The selection may change while the dialog is open, because the list is reloaded.
  const chosen = useRef(choice);
  const [draft, setDraft] = useState(emptyBulkDraft);
  const [step, setStep] = useState<Step>({ name: 'enter' });
  const change = useBulkChange();
  useReturnFocus(true);
  const content = bulkChangeOf(action, draft);
  const preview = async (entered: BulkDraft): Promise<void> => {
    setDraft(entered);
    if (chosen.current === undefined) return;
    const body = { ...bulkChangeOf(action, entered), ...chosen.current, dryRun: true };
    setStep({ name: 'preview', preview: await api.call('changeClients', { body }) });
  };
  const apply = async ({ results }: ClientsChange): Promise<void> => {
    const clients = results
      .filter(({ outcome }) => outcome === 'changed')
      .map(({ clientId, etag }) => ({ clientId, ...(etag !== undefined && { etag }) }));
    setStep({ name: 'done', done: await change({ ...content, clients }) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.titles[action](countWords(choice ?? chosen.current, total))}
      size="lg"
    >
      {step.name === 'enter' && (
        <BulkFields action={action} draft={draft} onPreview={preview} onCancel={onClose} />
      )}
      {step.name === 'preview' && (
        <BulkPreview
          content={content}
          preview={step.preview}
          onBack={() => setStep({ name: 'enter' })}
          onApply={() => apply(step.preview)}
        />
      )}
      {step.name === 'done' && (
        <BulkDone content={content} done={step.done} onUndo={change} onClose={onClose} />
      )}
    </Modal>
  );
}

/** Returns a function that makes a change and reloads the account's data, even after a failure. */
function useBulkChange(): (body: BulkRequest) => Promise<ClientsChange> {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  return async (body) => {
    try {
      return await api.call('changeClients', { body });
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    }
  };
}

function countWords(choice: BulkChoice | undefined, total: number | undefined): string {
  if (choice === undefined || 'filter' in choice)
    return total === undefined ? t.allThatMatch : t.clients(total);
  return t.clients(choice.clients.length);
}
