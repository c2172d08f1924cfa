import type { ClientRecord } from '@countersign/server/local-registry';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { usageError } from '../exits.ts';
import { metadataOf } from '../registry/metadata-option.ts';
import { registryOptions, withRegistry } from '../registry/open-registry.ts';
import { finishWithClient } from '../registry/show-client.ts';
import type { Io } from '../terminal/io.ts';

const options = {
  tag: { type: 'string', multiple: true, placeholder: 'TAG', help: 'A tag to add.' },
  'remove-tag': { type: 'string', multiple: true, placeholder: 'TAG', help: 'A tag to remove.' },
  metadata: {
    type: 'string',
    multiple: true,
    placeholder: 'KEY=VALUE',
    help: 'A note to add or replace, like owner=Ada.',
  },
  'remove-metadata': { type: 'string', multiple: true, placeholder: 'KEY', help: 'A note to remove.' },
  ...registryOptions,
} as const satisfies OptionTable;

export const clientsLabel: Command = defineCommand({
  name: 'clients label',
  summary: "Changes a client's tags and metadata.",
  arguments: [{ name: 'CLIENT_ID', help: 'The clientId, as "countersign clients list" shows it.' }],
  options,
  notes: [
    'Tags are lower-case words that group clients. The service stores metadata and does nothing with it.',
  ],
  examples: [
    { what: 'add a tag', line: 'countersign clients label client_… --tag partner' },
    {
      what: 'change a note, and remove a tag',
      line: 'countersign clients label client_… --metadata owner=Ada --remove-tag trial',
    },
  ],
  execute,
});

async function execute(
  { values, positionals: [id = ''] }: Invocation<typeof options>,
  io: Io,
): Promise<'ok'> {
  const { tag, metadata, 'remove-tag': removedTags, 'remove-metadata': removedKeys } = values;
  if ([tag, metadata, removedTags, removedKeys].every((texts) => texts.length === 0))
    throw usageError('Nothing to change: pass an option such as --tag partner or --metadata owner=Ada.');
  const changed = metadataOf(metadata);
  const client = await withRegistry(values, io, async (registry): Promise<ClientRecord> => {
    const { tags } = await registry.showClient(id);
    const kept = tags.filter((present) => !removedTags.includes(present));
    return registry.label(id, {
      tags: [...kept, ...tag],
      metadata: { ...changed, ...Object.fromEntries(removedKeys.map((key) => [key, null])) },
    });
  });
  return finishWithClient(client, 'The labels are changed.', values.json, io);
}
