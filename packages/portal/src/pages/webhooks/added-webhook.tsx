import type { Webhook } from '@countersign/contract';
import { SegmentedControl, Stack } from '@mantine/core';
import { type ReactElement, useEffect, useState } from 'react';
import { CodeBlock } from '../../code/code-block.tsx';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { documentPath } from '../../documents/document-path.ts';
import { webhooks } from '#messages/webhooks.ts';
import { webhookPath, webhooksPath } from '../../webhooks/webhook-path.ts';
import { ShownSecret } from './shown-secret.tsx';
import { TestSection } from './test-section.tsx';
import { verifySnippets } from './verify-snippets.ts';
import classes from './webhooks.module.css';

const t = webhooks.added;

/** The page after a webhook was added: its secret, which is shown once, and a test. */
export function AddedWebhook({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const [isStored, setIsStored] = useState(false);
  useUnsavedGuard(!isStored);
  // The address did not change, so nothing else moves the focus to the title.
  useEffect(() => document.querySelector<HTMLElement>('h1')?.focus(), []);
  return (
    <Page
      title={t.title}
      description={
        <>
          {t.description} <bdi className={classes['wrap']}>{webhook.url}</bdi>
        </>
      }
      back={{ to: webhooksPath, label: webhooks.title }}
      actions={<LinkButton to={webhookPath(webhook.webhookId)}>{t.open}</LinkButton>}
    >
      <Stack gap="lg">
        <Section title={t.secretTitle}>
          <Stack gap="sm">
            <ShownSecret secret={webhook.secret ?? ''} isStored={isStored} onStored={setIsStored} />
          </Stack>
        </Section>
        <TestSection webhook={webhook} />
        <VerifySection />
      </Stack>
    </Page>
  );
}

function VerifySection(): ReactElement {
  const [shown, setShown] = useState(0);
  const { language, title, code } = verifySnippets[shown] ?? verifySnippets[0];
  return (
    <Section
      title={t.verifyTitle}
      description={t.verifyText}
      actions={
        <AppLink to={documentPath('webhooks')} size="sm">
          {t.moreAbout}
        </AppLink>
      }
    >
      <Stack gap="sm" align="flex-start">
        <SegmentedControl
          aria-label={t.languages}
          data={verifySnippets.map(({ title: label }, index) => ({ value: String(index), label }))}
          value={String(shown)}
          onChange={(next) => setShown(Number(next))}
        />
        <div className={classes['whole']}>
          <CodeBlock code={code} language={language} label={t.program(title)} copyLabel={t.program(title)} />
        </div>
      </Stack>
    </Section>
  );
}
