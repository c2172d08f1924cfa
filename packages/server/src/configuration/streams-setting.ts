import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  readStreamTarget,
  type StreamSettings,
  streamFormats,
  type StreamSource,
  streamSources,
  type StreamStart,
  type StreamTarget,
} from './stream-target.ts';
import { table } from './routing-settings.ts';
import { SecretText } from './secret-text.ts';

const source = z.enum(streamSources, { error: `must be one of: ${streamSources.join(', ')}` });

const sources: z.ZodType<StreamSource[]> = z.preprocess(
  (value): unknown[] => (Array.isArray(value) ? value : [value]),
  z
    .array(source)
    .min(1, 'must not be empty')
    .refine((list) => new Set(list).size === list.length, { error: 'must not repeat anything' }),
);

const target: z.ZodType<StreamTarget> = z
  .string({ error: 'must be the URL of the receiver' })
  .transform((text, context): StreamTarget => {
    const read = readStreamTarget(text);
    if (typeof read !== 'string') return read;
    // Without the input, because it may contain a password.
    context.issues.push({ code: 'custom', message: read, input: '' });
    return z.NEVER;
  });

const startAdvice = 'must be now, oldest, a time like 2026-11-20T09:00:00Z, or a position of the audit log';
const start: z.ZodType<StreamStart> = z
  .union([z.string(), z.int().min(1)], { error: startAdvice })
  .transform((value, context): StreamStart => {
    if (typeof value === 'number') return { kind: 'position', position: value };
    if (value === 'now' || value === 'oldest') return { kind: value };
    const time = z.iso.datetime({ offset: true }).safeParse(value);
    if (time.success) return { kind: 'time', atMs: Date.parse(value) };
    context.issues.push({ code: 'custom', message: startAdvice, input: value });
    return z.NEVER;
  });

const stream = z
  .strictObject({
    what: sources,
    to: target,
    from: start.default({ kind: 'now' }),
    format: z
      .enum(streamFormats, { error: `must be one of: ${streamFormats.join(', ')}` })
      .default('countersign'),
    certificateAuthorityFile: z.string().min(1, 'must not be empty').optional(),
    stallSeconds: z
      .int({ error: 'must be a whole number of seconds' })
      .min(10, 'must be at least 10')
      .max(86_400, 'must be at most 86400')
      .default(300),
    enterpriseNumber: z
      .int({ error: 'must be a number of the IANA registry of private enterprises' })
      .min(1, 'must be at least 1')
      .max(4_294_967_295, 'must be at most 4294967295')
      .refine((number) => number !== 32_473, { error: 'must be your own: 32473 is for examples (RFC 5612)' })
      .optional(),
  })
  .check((context) => {
    const { what, from, format, to, enterpriseNumber } = context.value;
    const report = (path: string, message: string): void =>
      void context.issues.push({ code: 'custom', message, input: '', path: [path] });
    if (from.kind === 'position' && what.includes('requests'))
      report('from', 'can be a position only if nothing but audit is sent');
    if (enterpriseNumber !== undefined && to.protocol !== 'syslog')
      report('enterpriseNumber', 'is for syslog only');
    if (format === 'ecs' && to.protocol === 'syslog') report('format', 'must be countersign for syslog');
  });

/** The names are part of headers, labels and batch IDs. */
const isStreamName = (text: string): boolean => /^[a-z][a-z0-9-]{0,39}$/.test(text);

export const streamsSchema: z.ZodType<readonly StreamSettings[]> = table(
  z
    .record(z.string(), stream, { error: 'must be an object with the names of streams as keys' })
    .check((context) => {
      for (const name of Object.keys(context.value)) {
        if (isStreamName(name)) continue;
        const message = `${JSON.stringify(name)} must be a name of lower-case letters, digits and hyphens`;
        context.issues.push({ code: 'custom', message, input: '' });
      }
    })
    .transform((byName) =>
      Object.entries(byName).map(
        ([name, { what, certificateAuthorityFile, enterpriseNumber, ...others }]) => ({
          name,
          sources: what,
          certificateAuthorityFile,
          enterpriseNumber,
          ...others,
        }),
      ),
    ),
);

/** Messages never include a value. */
const authorization = z
  .string({ error: 'must be the value of an Authorization header' })
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/, {
    error: 'must be the value of an Authorization header, in visible ASCII',
  })
  .transform((text) => new SecretText(text));

export const streamSecretsSchema: z.ZodType<Readonly<Record<string, SecretText>>> = table(
  z.record(z.string(), authorization, { error: 'must be an object with the names of streams as keys' }),
);

/** Finds secrets without a stream that sends them, and files of authorities that cannot be read. */
export function findUnusableStreams(
  {
    streams,
    streamSecrets = {},
  }: {
    readonly streams?: readonly StreamSettings[];
    readonly streamSecrets?: Readonly<Record<string, SecretText>>;
  },
  mistakes: string[],
): void {
  // Mistakes in the streams themselves are reported already.
  if (streams === undefined) return;
  for (const name of Object.keys(streamSecrets)) {
    const { to } = streams.find((one) => one.name === name) ?? {};
    if (to === undefined)
      mistakes.push(`COUNTERSIGN_STREAM_SECRETS: there is no stream ${JSON.stringify(name)}`);
    else if (to.protocol === 'syslog')
      mistakes.push(`COUNTERSIGN_STREAM_SECRETS: ${name} is sent by syslog, which has no Authorization`);
  }
  for (const { name, certificateAuthorityFile: path } of streams) {
    const cause = path === undefined ? undefined : problemOfAuthorities(path);
    if (cause !== undefined)
      mistakes.push(`COUNTERSIGN_STREAMS: ${name} certificateAuthorityFile: ${path} ${cause}`);
  }
}

function problemOfAuthorities(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN CERTIFICATE-----')
      ? undefined
      : 'must hold certificates in PEM';
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}
