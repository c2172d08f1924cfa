import { ActionIcon, Button, Menu } from '@mantine/core';
import { CirclePause, CirclePlay, EllipsisVertical, KeyRound, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { type ReactElement, Suspense, useState } from 'react';
import { api } from '../../api/api.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notify.ts';
import { Permitted } from '../../components/permitted.tsx';
import { navigateSaved } from '../../components/unsaved-guard.ts';
import { useAction } from '../../components/use-action.ts';
import { webhooks } from '#messages/webhooks.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { usePermission } from '../../session/session-context.ts';
import { webhookPath, webhooksPath } from '../../webhooks/webhook-path.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { useWebhookChange, type WebhookView } from './use-webhook.ts';

const RecoverDialog = lazyPart(async () => (await import('./recover-dialog.tsx')).RecoverDialog);

const t = webhooks.page;

/** Pause or Resume, Update, and a menu with the rest. */
export function WebhookActions({ view }: { readonly view: WebhookView }): ReactElement {
  const { webhookId } = view.body;
  return (
    <>
      <PauseButton view={view} />
      <Permitted permission="webhooks:write">
        {(isDisabled) => (
          <LinkButton
            to={`${webhookPath(webhookId)}/edit`}
            variant="default"
            leftSection={<Pencil size={16} aria-hidden />}
            disabled={isDisabled}
          >
            {t.update}
          </LinkButton>
        )}
      </Permitted>
      <MoreMenu view={view} />
    </>
  );
}

function PauseButton({ view: { body: webhook, entityTag } }: { readonly view: WebhookView }): ReactElement {
  const { webhookId, status } = webhook;
  const change = useWebhookChange();
  const isActive = status === 'active';
  const { isBusy, run } = useAction(async () => {
    const input = { path: { webhookId }, ...(entityTag !== undefined && { ifMatch: entityTag }) };
    const act = () => api.call(isActive ? 'pauseWebhook' : 'resumeWebhook', input);
    await change(act, isActive ? t.paused : t.resumed).catch((error: unknown) => notify.error(error));
  });
  const Icon = isActive ? CirclePause : CirclePlay;
  return (
    <Permitted permission="webhooks:write">
      {(isDisabled) => (
        <Button
          variant={isActive ? 'default' : 'filled'}
          leftSection={<Icon size={16} aria-hidden />}
          disabled={isDisabled}
          loading={isBusy}
          onClick={() => void run()}
        >
          {isActive ? t.pause : t.resume}
        </Button>
      )}
    </Permitted>
  );
}

function MoreMenu({ view }: { readonly view: WebhookView }): ReactElement | null {
  const { webhookId } = view.body;
  const change = useWebhookChange();
  const [dialog, setDialog] = useState<'recover' | 'rotate' | 'remove'>();
  const [hadRecover, setHadRecover] = useState(false);
  const close = (): void => setDialog(undefined);
  const recover = (): void => {
    setHadRecover(true);
    setDialog('recover');
  };
  const remove = async (): Promise<void> => {
    // Without a known state, the service rejects the request.
    await api.call('removeWebhook', { path: { webhookId }, ifMatch: view.entityTag ?? '""' });
    navigateSaved(webhooksPath);
    await change(async () => undefined, t.removed);
  };
  if (!usePermission('webhooks:write')) return null;
  return (
    <>
      <Menu withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t.more}>
            <EllipsisVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<RotateCcw size={16} aria-hidden />} onClick={recover}>
            {t.recover}
          </Menu.Item>
          <Menu.Item leftSection={<KeyRound size={16} aria-hidden />} onClick={() => setDialog('rotate')}>
            {t.rotate}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => setDialog('remove')}
          >
            {t.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {hadRecover && (
        <Suspense fallback={null}>
          <RecoverDialog webhookId={webhookId} isOpen={dialog === 'recover'} onClose={close} />
        </Suspense>
      )}
      <RotateSecretDialog webhookId={webhookId} isOpen={dialog === 'rotate'} onClose={close} />
      <ConfirmDialog
        opened={dialog === 'remove'}
        onClose={close}
        title={webhooks.removing.title}
        confirmLabel={t.remove}
        isDangerous
        onConfirm={remove}
      >
        <p>
          <bdi>{view.body.url}</bdi>
        </p>
        <p>{webhooks.removing.text}</p>
      </ConfirmDialog>
    </>
  );
}
