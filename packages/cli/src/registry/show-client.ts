import type { ClientRecord, KeyRecord } from '@countersign/server/local-registry';
import { algorithmOfPem } from '@countersign/signature/keys';
import { describeKey } from '@countersign/signature/node';
import type { Io } from '../terminal/io.ts';
import { fieldLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';

export function clientAsJson(client: ClientRecord): Record<string, unknown> {
  const { clientId, accountId, name, status, profile, network, roles, tags, keys } = client;
  return {
    clientId,
    accountId,
    name,
    status,
    profile,
    // The name from before profiles.
    acceptWithoutDate: isDateOptional(profile),
    network: network.map(({ entry, label }) => ({ entry, label })),
    roles: [...roles],
    tags: [...tags],
    metadata: client.metadata,
    keys: keys.map(keyAsJson),
    expiresAt: timestampIfAny(client.expiresAtMs),
    createdAt: timestamp(client.createdAtMs),
    updatedAt: timestamp(client.updatedAtMs),
  };
}

function isDateOptional(profile: ClientRecord['profile']): boolean {
  return profile === 'countersign-without-date';
}

function clientText(client: ClientRecord): string {
  const { clientId, accountId, name, status, profile, network, roles, tags, keys } = client;
  return fieldLines(
    [
      ['clientId', clientId],
      ['name', name],
      ['account', accountId],
      ['status', status],
      [
        'network',
        network.map(({ entry, label }) => (label === '' ? entry : `${entry} (${label})`)).join(', '),
      ],
      ['roles', roles.length === 0 ? 'none: it may only ask who it is' : roles.join(', ')],
      ['tags', tags.length === 0 ? undefined : tags.join(', ')],
      ...Object.entries(client.metadata).map(([key, value]): [string, string] => [
        'metadata',
        `${key} = ${value}`,
      ]),
      ['Profile', profile === 'countersign' || isDateOptional(profile) ? undefined : profile],
      ['Date', isDateOptional(profile) ? 'need not be signed' : undefined],
      ...keys.map((key): [string, string] => ['key', keyText(key)]),
      ['key', keys.length === 0 ? 'none: it cannot sign yet' : undefined],
      ['created', timestamp(client.createdAtMs)],
      ['expires', timestampIfAny(client.expiresAtMs)],
    ],
    '',
  );
}

function keyText({
  keyId,
  fingerprint,
  bits,
  status,
  spkiPem,
  algorithm: registered,
  endsAtMs,
}: KeyRecord): string {
  const algorithm = algorithmOfPem(spkiPem, registered);
  const kind = algorithm === undefined ? `${bits} bits` : describeKey({ algorithm, bits });
  const end = endsAtMs === undefined ? '' : `, expires ${timestamp(endsAtMs)}`;
  return `${keyId}  ${fingerprint}  ${kind}  ${status}${end}`;
}

function keyAsJson(key: KeyRecord): Record<string, unknown> {
  const { keyId, fingerprint, bits, status, spkiPem, createdAtMs, startsAtMs, endsAtMs, revokedAtMs } = key;
  return {
    keyId,
    fingerprint,
    algorithm: algorithmOfPem(spkiPem, key.algorithm),
    modulusBits: bits,
    status,
    createdAt: timestamp(createdAtMs),
    startsAt: timestampIfAny(startsAtMs),
    endsAt: timestampIfAny(endsAtMs),
    revokedAt: timestampIfAny(revokedAtMs),
  };
}

function timestampIfAny(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : timestamp(milliseconds);
}

function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Ends a command about one client: shows the client, after a sentence that says what happened. */
export function finishWithClient(
  client: ClientRecord,
  sentence: string | undefined,
  json: boolean,
  io: Io,
): 'ok' {
  if (json) writeJson(io, { ok: true, ...clientAsJson(client) });
  else {
    if (sentence !== undefined) io.errors.write(`${sentence}\n`);
    io.output.write(clientText(client));
  }
  return 'ok';
}
