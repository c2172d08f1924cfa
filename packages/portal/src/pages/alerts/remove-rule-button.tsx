import type { AlertRule } from '@countersign/contract';
import { Button } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { alertRulesPath } from '../../alerts/alert-rules-path.ts';
import type { Entity } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notify.ts';
import { navigateSaved } from '../../components/unsaved-guard.ts';
import { alerts } from '#messages/alerts.ts';

const t = alerts.remove;

/** Deletes a rule, after a confirmation. */
export function RemoveRuleButton({
  entity: { body: rule, entityTag },
}: {
  readonly entity: Entity<AlertRule>;
}): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const remove = useApiMutation('removeAlertRule');
  const confirm = async (): Promise<void> => {
    // Without a known state, the service rejects the request.
    await remove.mutateAsync({ path: { alertRuleId: rule.alertRuleId }, ifMatch: entityTag ?? '""' });
    notify.success(t.done);
    navigateSaved(alertRulesPath);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {t.action}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={t.title}
        confirmLabel={t.action}
        isDangerous
        onConfirm={confirm}
      >
        <p>
          <bdi>{rule.name}</bdi>
        </p>
        <p>{t.text}</p>
      </ConfirmDialog>
    </>
  );
}
