import { type Client, clientLabelLimits, isTag } from '@countersign/contract';
import { Button, Group, Stack, TagsInput, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { TagList } from '../../clients/tag-list.tsx';
import { useClientChange } from '../../clients/use-client-change.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Facts } from '../../components/facts.tsx';
import { useForm } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { clientLabels as t } from '#messages/client-labels.ts';
import { usePermission } from '../../session/session-context.ts';
import { metadataChange, metadataText, readMetadataText } from './metadata-text.ts';

/** A client's tags and metadata, with a form for people who may change them. */
export default function LabelsSection({ view }: { readonly view: ClientView }): ReactElement {
  const { tags, metadata, status } = view.client;
  const mayChange = usePermission('clients:write') && status !== 'revoked';
  return (
    <Section title={t.title} description={t.description}>
      {mayChange ? (
        <LabelsForm key={JSON.stringify([tags, metadata])} view={view} />
      ) : (
        <LabelFacts client={view.client} />
      )}
    </Section>
  );
}

function LabelFacts({ client: { tags, metadata } }: { readonly client: Client }): ReactElement {
  return (
    <Facts
      items={[
        { label: t.tags, value: tags.length === 0 ? t.none : <TagList tags={tags} /> },
        ...Object.entries(metadata).map(([label, value]) => ({ label, value })),
      ]}
    />
  );
}

function LabelsForm({ view }: { readonly view: ClientView }): ReactElement {
  const { clientId, name, tags, metadata } = view.client;
  const change = useClientChange();
  const form = useForm({
    id: 'labels',
    initialValues: { tags: [...tags], metadata: metadataText(metadata) },
    validate(values) {
      const reading = readMetadataText(values.metadata);
      return {
        ...(!values.tags.every(isTag) && { tags: t.tagsWrong }),
        ...(!reading.ok && { metadata: t.metadataWrong(reading.line) }),
      };
    },
    place: ({ errors: [first] }) =>
      first === undefined
        ? undefined
        : { [first.pointer.startsWith('/tags') ? 'tags' : 'metadata']: first.detail },
  });
  const submit = form.submit((values) => {
    const reading = readMetadataText(values.metadata);
    const entries = reading.ok ? reading.metadata : metadata;
    const body = { tags: values.tags, metadata: metadataChange(metadata, entries) };
    const ifMatch = view.entityTag ?? '';
    return change(() => api.call('updateClient', { path: { clientId }, body, ifMatch }), t.saved(name));
  });
  const metadataField = form.field('metadata');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TagsInput
          id={form.field('tags').id}
          label={t.tags}
          description={t.tagsHint}
          value={form.values.tags}
          onChange={(next) => form.set('tags', next)}
          error={form.mistakes['tags']}
          maxTags={clientLabelLimits.tagsMax}
          acceptValueOnBlur
        />
        <Textarea
          label={t.metadata}
          description={t.metadataHint}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          {...metadataField}
        />
        <ErrorNotice error={form.failure} />
        <Group>
          <Button type="submit" size="sm" variant="default" loading={form.isBusy} disabled={!form.isDirty}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
