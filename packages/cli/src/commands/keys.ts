import { publicKeyForms } from '@countersign/signature/node';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand } from '../command.ts';
import { usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import { checkedAlgorithm, keyAlgorithmOption } from '../registry/key-algorithm-option.ts';
import { registryOptions, withRegistry } from '../registry/open-registry.ts';
import { finishWithClient } from '../registry/show-client.ts';

const addOptions = {
  key: {
    type: 'string',
    placeholder: 'FILE',
    help: `The public key: ${publicKeyForms}.`,
  },
  algorithm: keyAlgorithmOption,
  ...registryOptions,
} as const satisfies OptionTable;

const clientId = { name: 'CLIENT_ID', help: 'The clientId, as "countersign clients list" shows it.' };

export const keysAdd: Command = defineCommand({
  name: 'keys add',
  summary: 'Adds a second public key to a client, so that it can switch keys without downtime.',
  arguments: [clientId],
  options: addOptions,
  notes: ['A client can have two usable keys. Both work until the old one is revoked.'],
  examples: [
    {
      what: 'the key that will replace the old one',
      line: 'countersign keys add client_… --key new.pub.pem',
    },
  ],
  async execute({ values, positionals: [id = ''] }, io) {
    const { key } = values;
    if (key === undefined) throw usageError('The public key is missing: pass --key FILE.');
    const algorithm = checkedAlgorithm(values.algorithm);
    const publicKey = await readTextFile(io, key, 'public key');
    const client = await withRegistry(values, io, (registry) =>
      registry.addKey(id, { publicKey, algorithm }),
    );
    return finishWithClient(client, 'The key is registered.', values.json, io);
  },
});

export const keysRevoke: Command = defineCommand({
  name: 'keys revoke',
  summary: "Revokes a client's key immediately and permanently.",
  arguments: [
    clientId,
    { name: 'KEY', help: 'The keyId or the whole fingerprint, as "countersign clients show" prints them.' },
  ],
  options: registryOptions,
  notes: [
    'A running service rejects signatures made with the key within a second. A revoked key can never be used again.',
  ],
  examples: [
    { what: 'a key that is no longer needed, or has leaked', line: 'countersign keys revoke client_… key_…' },
  ],
  async execute({ values, positionals: [id = '', key = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.revokeKey(id, key));
    return finishWithClient(client, 'The key is revoked.', values.json, io);
  },
});
