import { clientLabelLimits } from '@countersign/contract';
import { TagsInput, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Form } from '../../../components/form.tsx';
import { clientLabels as t } from '#messages/client-labels.ts';
import type { ClientForm } from './client-form.ts';

/** A client's tags and metadata. */
export function LabelFields({ form }: { readonly form: Form<ClientForm> }): ReactElement {
  return (
    <>
      <TagsInput
        id={form.field('tags').id}
        label={t.tags}
        description={t.tagsHint}
        value={[...form.values.tags]}
        onChange={(tags) => form.set('tags', tags)}
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
        {...form.field('metadata')}
      />
    </>
  );
}
