import {
  type DeploymentPermissions,
  isReadableName,
  type NetworkEntry,
  problemOfDeploymentPermission,
  readNetworkEntry,
} from '@countersign/contract';
import type { NoncePolicy, RepeatPolicy } from '@countersign/signature/node';
import { z } from 'zod';
import { problemOfBaseUrls } from '@countersign/gate';
import { type LogLevel, logLevels } from '../telemetry/logger.ts';
import { isPlainName } from '../request-log/request-detail.ts';
import { profileList } from './accepted-profiles.ts';
import { baseUrlProfilesSchema } from './base-url-profiles.ts';
import { authorizersIn } from './authorizer-settings.ts';
import {
  openapiReadingSchema,
  type RoutingSettings,
  routesSchema,
  upstreamSchema,
  upstreamsSchema,
} from './routing-settings.ts';
import { SecretText } from './secret-text.ts';
import { streamSecretsSchema, streamsSchema } from './streams-setting.ts';
import type { StreamSettings } from './stream-target.ts';
import { SecretUrl } from './secret-url.ts';

/** A setting: its name in the configuration file, environment variable, schema, default and help text. */
export interface Setting<Value = unknown> {
  readonly environment: `COUNTERSIGN_${string}`;
  /** Reads the value from an environment variable's text or from JSON, and reports what is wrong with it. */
  readonly schema: z.ZodType<Value>;
  /**
   * The default, written as in the environment. If undefined, it is derived from other settings, as `help`
   * explains.
   */
  readonly default: string | undefined;
  readonly help: string;
}

/** The values of all settings. */
export interface Settings extends RoutingSettings {
  readonly host: string;
  readonly port: number;
  readonly apiPort: number | undefined;
  readonly authorizerPort: number | undefined;
  readonly authorizerGrpcPort: number | undefined;
  readonly publicBaseUrls: readonly string[] | undefined;
  readonly dataFolder: string;
  readonly databaseUrl: SecretUrl | undefined;
  readonly databaseConnectionsMax: number;
  readonly databaseConnectTimeoutMs: number;
  readonly databaseStatementTimeoutMs: number;
  readonly redisUrl: SecretUrl | undefined;
  readonly allowRedisWithoutAppendOnlyFile: boolean;
  readonly corsOrigins: readonly string[];
  readonly corsPreflights: 'answer' | 'forward';
  readonly trustedProxies: readonly string[];
  readonly bodyBytesMax: number;
  readonly bodyMemoryBytesMax: number;
  readonly spoolFolder: string | undefined;
  readonly spoolBytesMax: number;
  readonly createdMaxAgeSeconds: number;
  readonly createdMaxFutureSeconds: number;
  readonly dateMaxDifferenceSeconds: number;
  readonly directoryOrigins: readonly string[];
  readonly directoryKeptDays: number;
  readonly webhookOrigins: readonly string[];
  readonly webhookSecret: SecretText | undefined;
  readonly streams: readonly StreamSettings[];
  readonly streamSecrets: Readonly<Record<string, SecretText>>;
  readonly nonce: NoncePolicy;
  readonly repeat: RepeatPolicy;
  readonly guard: GuardKind | undefined;
  readonly guardEntriesMax: number;
  readonly guardTimeoutMs: number;
  readonly nodes: number;
  readonly threads: number;
  readonly clientRequestsPerMinuteMax: number;
  readonly clientRequestsBurstMax: number;
  readonly addressFailuresPerMinuteMax: number;
  readonly overloadFailuresPerMinuteMax: number;
  readonly connectionsMax: number | undefined;
  readonly addressConnectionsMax: number;
  readonly unprovedIdleSeconds: number;
  readonly keepAliveSeconds: number;
  readonly rsaModulusBitsMax: number;
  readonly allowPublishedTestKeys: boolean;
  readonly paymentsCompleteAfterSeconds: number;
  readonly permissions: DeploymentPermissions;
  readonly problemTypeBase: string | undefined;
  readonly shownQueryParameters: readonly string[];
  readonly requestsKeptDays: number;
  readonly requestsKeptMax: number;
  readonly logLevel: LogLevel;
  readonly logFile: string;
  readonly metricsHost: string;
  readonly metricsPort: number | undefined;
  readonly startSecondsMax: number;
  readonly stopSecondsMax: number;
  readonly stopDelaySeconds: number | undefined;
  readonly demonstration: boolean;
  readonly portal: boolean;
  readonly serviceName: string;
  readonly logoFile: string | undefined;
  readonly darkLogoFile: string | undefined;
  readonly accentColor: string | undefined;
  readonly portalSecret: SecretText | undefined;
  readonly breachedPasswordsFile: string | undefined;
  readonly ownerIdleMinutes: number;
  readonly allowOperatorsWithoutSecondFactor: boolean;
  readonly mailUrl: SecretUrl | undefined;
  readonly mailFrom: string | undefined;
  readonly mailRequireTls: boolean | undefined;
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecret: SecretText | undefined;
  readonly oidcName: string;
  readonly oidcTrustEmailAddresses: boolean;
}

export type SettingName = keyof Settings;

/** The replay guard's storage: one node's memory, or a store that several nodes share. */
export const guardKinds = ['memory', 'postgres', 'redis'] as const;
export type GuardKind = (typeof guardKinds)[number];

function integer(minimum: number, maximum: number): z.ZodType<number> {
  const error = 'must be a whole number';
  const digits = z.string().regex(/^\d+$/);
  return z
    .union([z.number(), digits.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))], {
      error,
    })
    .pipe(
      z.int({ error }).min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`),
    );
}

function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodType<Values[number]> {
  return z.enum(values, { error: `must be one of: ${values.join(', ')}` });
}

const yesOrNo: z.ZodType<boolean> = z.union(
  [
    z.boolean(),
    z.enum(['yes', 'no', 'true', 'false']).transform((text) => text === 'yes' || text === 'true'),
  ],
  {
    error: 'must be yes or no',
  },
);

const listOfTexts: z.ZodType<string[]> = z.union([z.array(z.string()), z.string().transform(splitList)], {
  error: 'must be a list, separated by commas',
});

/** Validates a URL. Messages never include the value, because it contains a password. */
function secretUrl(schemes: readonly string[], example: string): z.ZodType<SecretUrl> {
  const isUrl = (text: string): boolean => URL.canParse(text) && schemes.includes(new URL(text).protocol);
  return z
    .string({ error: `must be a URL like ${example}` })
    .refine(isUrl, { error: `must be a URL like ${example}` })
    .transform((text) => new SecretUrl(text));
}

/** Validates a secret. Messages never include the value. */
function secretText(charactersMin: number): z.ZodType<SecretText> {
  const error = `must have at least ${charactersMin} characters`;
  return z
    .string({ error })
    .min(charactersMin, { error })
    .transform((text) => new SecretText(text));
}

const shownName = z
  .string({ error: 'must be a name' })
  .refine(isReadableName, { error: 'must be a name of 1 to 100 characters, without control characters' });

const fileName = z.string().min(1, 'must not be empty');

const hexColor: z.ZodType<string> = z
  .string({ error: 'must be a color' })
  .regex(/^#[0-9a-f]{6}$/i, 'must be a color of six hexadecimal digits, such as #0a7c66')
  .transform((text) => text.toLowerCase());

const permissionsAdvice =
  'must be permissions with summaries, such as invoices:read=Read invoices; invoices:write=Change them';
const listOfPermissions: z.ZodType<DeploymentPermissions> = z
  .union(
    [
      z.record(z.string(), z.string()).transform((table) => Object.entries(table)),
      z.string().transform((text) =>
        text
          .split(';')
          .filter((part) => part.trim() !== '')
          .map((part): [string, string] => {
            const [name = '', ...summary] = part.split('=');
            return [name.trim(), summary.join('=').trim()];
          }),
      ),
    ],
    { error: permissionsAdvice },
  )
  .check(({ value, issues }) => {
    for (const [index, [name, summary]] of value.entries()) {
      const isRepeated = value.findIndex(([other]) => other === name) < index;
      const problem =
        problemOfDeploymentPermission(name) ??
        (isRepeated ? 'must occur only once' : undefined) ??
        (isReadableName(summary) ? undefined : 'must have a summary of 1 to 100 characters');
      if (problem)
        issues.push({ code: 'custom', message: `${name || 'a permission'} ${problem}`, input: value });
    }
  })
  .transform((entries) => Object.fromEntries(entries.map(([name, summary]) => [name, { summary }])));

const issuerAdvice = 'must be the URL of an issuer like https://login.example.com';
const issuer = z.string({ error: issuerAdvice }).refine(isIssuer, { error: issuerAdvice });

/**
 * Returns true for a valid issuer URL. OpenID Connect requires https; on localhost http is accepted too, for
 * experiments.
 */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (isHere && protocol === 'http:')) && username + search + hash === '';
}

const baseUrls = listOfTexts.check((context) => {
  const problem =
    context.value.length === 0 ? 'must name at least one URL' : problemOfBaseUrls(context.value);
  if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value });
});

const origins = listOfTexts.check((context) => {
  for (const text of context.value) {
    if (text === '*' || isHttpOrigin(text)) continue;
    const message = `${JSON.stringify(text)} must be an origin as browsers write it, like https://app.example.com, or *`;
    context.issues.push({ code: 'custom', message, input: text });
  }
});

const trustedOrigins = listOfTexts.check((context) => {
  for (const text of context.value) {
    if (isHttpOrigin(text)) continue;
    const message = `${JSON.stringify(text)} must be an origin without a path, like https://keys.intranet:8443`;
    context.issues.push({ code: 'custom', message, input: text });
  }
});

function isHttpOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const proxies = listOfTexts.transform((entries, context) => {
  const whitelist: string[] = [];
  for (const text of entries) {
    const reading = readNetworkEntry(text);
    const mistake = reading.ok ? problemOfProxy(reading.entry) : reading.message;
    if (mistake === undefined) whitelist.push(text);
    else context.issues.push({ code: 'custom', message: `${JSON.stringify(text)}: ${mistake}`, input: text });
  }
  return whitelist;
});

/**
 * Rejects trusted proxies that include strangers, because any stranger could choose the address that whitelists
 * see.
 */
function problemOfProxy({ everyone, text }: NetworkEntry): string | undefined {
  if (!everyone && !text.endsWith('/0')) return undefined;
  return 'would trust whatever anyone writes into X-Forwarded-For; list the addresses of your proxies';
}

const parameterNames = listOfTexts.check((context) => {
  const wrong = context.value.find((name) => !isPlainName(name));
  if (wrong === undefined) return;
  const message = `${JSON.stringify(wrong)}: must be a name of letters, at most 40, with "_", "-" and "." after the first`;
  context.issues.push({ code: 'custom', message, input: context.value });
});

/** Every setting of the service. docs/operations/settings.md documents them; a test compares it with this table. */
export const settings: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  host: {
    environment: 'COUNTERSIGN_HOST',
    schema: z.string().min(1, 'must not be empty'),
    default: '127.0.0.1',
    help: 'Address to listen on. 0.0.0.0 or :: listens on every interface.',
  },
  port: {
    environment: 'COUNTERSIGN_PORT',
    schema: integer(0, 65_535),
    default: '8421',
    help: 'TCP port to listen on. 0 picks a free port.',
  },
  publicBaseUrls: {
    environment: 'COUNTERSIGN_PUBLIC_BASE_URLS',
    schema: baseUrls.optional(),
    default: undefined,
    help: 'URLs that clients call and sign, separated by commas. Default: http://127.0.0.1:PORT and http://localhost:PORT.',
  },
  upstream: {
    environment: 'COUNTERSIGN_UPSTREAM',
    schema: upstreamSchema.optional(),
    default: undefined,
    help: 'API to protect, as scheme, host and port: http://127.0.0.1:3000. Separate several addresses of the same API with commas. Default: none.',
  },
  signForwarded: {
    environment: 'COUNTERSIGN_SIGN_FORWARDED',
    schema: yesOrNo,
    default: 'no',
    help: 'Sign every request forwarded to that API, so that it can verify that the request came through the gateway.',
  },
  signResponses: {
    environment: 'COUNTERSIGN_SIGN_RESPONSES',
    schema: yesOrNo,
    default: 'no',
    help: "Sign that API's responses to verified clients, so that they can verify that the response came through the gateway and answers their request.",
  },
  openapi: {
    environment: 'COUNTERSIGN_OPENAPI',
    schema: z.string().min(1, 'must not be empty').optional(),
    default: undefined,
    help: 'OpenAPI document of that API, in JSON or YAML. Each operation becomes a route, and anything else is rejected. Default: none; every path is forwarded to clients with api:read or api:write.',
  },
  openapiReading: {
    environment: 'COUNTERSIGN_OPENAPI_READING',
    schema: openapiReadingSchema,
    default: '{}',
    help: 'How to read the parts of that document that would give no route or the wrong one: an object, as JSON in the variable.',
  },
  apiBaseUrls: {
    environment: 'COUNTERSIGN_API_BASE_URLS',
    schema: baseUrls.optional(),
    default: undefined,
    help: 'URLs of the protected API that clients call and sign, separated by commas. Default: http://127.0.0.1:APIPORT and http://localhost:APIPORT.',
  },
  apiPort: {
    environment: 'COUNTERSIGN_API_PORT',
    schema: integer(0, 65_535).optional(),
    default: undefined,
    help: 'TCP port of the protected API. It can be the same as the port of the service if their base URLs have different hosts. Default: that port plus 1, 8422.',
  },
  upstreams: {
    environment: 'COUNTERSIGN_UPSTREAMS',
    schema: upstreamsSchema,
    default: '{}',
    help: 'Several APIs to protect, or one with its own settings: an object by name, as JSON in the variable.',
  },
  routes: {
    environment: 'COUNTERSIGN_ROUTES',
    schema: routesSchema,
    default: '[]',
    help: 'Routes of protected APIs: a list, as JSON in the variable. Requests without a route are rejected.',
  },
  authorizers: {
    environment: 'COUNTERSIGN_AUTHORIZERS',
    schema: authorizersIn(proxies),
    default: '{}',
    help: 'Proxies that query before they forward, by protocol, as JSON in the variable: {"nginx-njs":{"from":["127.0.0.1"]}}. "body" says how to treat a body that the proxy does not pass on: refuse, digest or unchecked.',
  },
  authorizerPort: {
    environment: 'COUNTERSIGN_AUTHORIZER_PORT',
    schema: integer(0, 65_535).optional(),
    default: undefined,
    help: 'TCP port for those proxies. Default: the port of the service plus 2, 8423.',
  },
  authorizerGrpcPort: {
    environment: 'COUNTERSIGN_AUTHORIZER_GRPC_PORT',
    schema: integer(0, 65_535).optional(),
    default: undefined,
    help: 'TCP port for Envoy over gRPC, if "envoy-grpc" is one of the authorizers. Default: the port of the service plus 3, 8424.',
  },
  dataFolder: {
    environment: 'COUNTERSIGN_DATA_FOLDER',
    schema: z.string().min(1, 'must not be empty'),
    default: './data',
    help: 'Folder of the database and the replay guard, created if missing. One service at a time. Not used with a database URL and a shared guard.',
  },
  databaseUrl: {
    environment: 'COUNTERSIGN_DATABASE_URL',
    schema: secretUrl(
      ['postgresql:', 'postgres:'],
      'postgresql://user:password@host:5432/database',
    ).optional(),
    default: undefined,
    help: 'PostgreSQL database, instead of the one in the data folder. Default: none.',
  },
  databaseConnectionsMax: {
    environment: 'COUNTERSIGN_DATABASE_CONNECTIONS_MAX',
    schema: integer(2, 1000),
    default: '10',
    help: "Maximum number of each node's connections to PostgreSQL. The replay guard, the registry and the request log use up to 8 more.",
  },
  databaseConnectTimeoutMs: {
    environment: 'COUNTERSIGN_DATABASE_CONNECT_TIMEOUT_MS',
    schema: integer(100, 60_000),
    default: '800',
    help: 'Milliseconds that a request waits for a free or new connection to PostgreSQL before it is rejected with 503.',
  },
  databaseStatementTimeoutMs: {
    environment: 'COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS',
    schema: integer(100, 600_000),
    default: '3000',
    help: 'Milliseconds until PostgreSQL cancels a statement and its request is rejected with 503. Waiting for a lock is limited to five sixths of that.',
  },
  redisUrl: {
    environment: 'COUNTERSIGN_REDIS_URL',
    schema: secretUrl(['redis:', 'rediss:'], 'redis://user:password@host:6379').optional(),
    default: undefined,
    help: 'Redis or Valkey for the replay guard and the rate limits of several nodes. Default: none.',
  },
  allowRedisWithoutAppendOnlyFile: {
    environment: 'COUNTERSIGN_ALLOW_REDIS_WITHOUT_APPEND_ONLY_FILE',
    schema: yesOrNo,
    default: 'no',
    help: 'Accept a Redis that stores nothing on disk. When it restarts, requests are rejected for up to 3 seconds, as with an append-only file.',
  },
  corsOrigins: {
    environment: 'COUNTERSIGN_CORS_ORIGINS',
    schema: origins,
    default: '',
    help: 'Origins whose pages may call the protected API from a browser, separated by commas; * for every origin.',
  },
  corsPreflights: {
    environment: 'COUNTERSIGN_CORS_PREFLIGHTS',
    schema: oneOf(['answer', 'forward']),
    default: 'answer',
    help: 'What happens to the preflight requests of these pages, which browsers do not sign: answer them, or forward them to the API.',
  },
  trustedProxies: {
    environment: 'COUNTERSIGN_TRUSTED_PROXIES',
    schema: proxies,
    default: '',
    help: 'Addresses and networks of proxies whose X-Forwarded-For is trusted.',
  },
  bodyBytesMax: {
    environment: 'COUNTERSIGN_BODY_BYTES_MAX',
    schema: integer(0, 1_073_741_824),
    default: '1048576',
    help: 'Largest accepted body, in bytes.',
  },
  bodyMemoryBytesMax: {
    environment: 'COUNTERSIGN_BODY_MEMORY_BYTES_MAX',
    schema: integer(0, 1_073_741_824),
    default: '1048576',
    help: 'Largest body that the gateway keeps in memory, in bytes. Larger ones, where a route allows them, are verified and forwarded from disk.',
  },
  spoolFolder: {
    environment: 'COUNTERSIGN_SPOOL_FOLDER',
    schema: z.string().min(1, 'must not be empty').optional(),
    default: undefined,
    help: 'Folder for those larger bodies. Default: spool in the data folder.',
  },
  spoolBytesMax: {
    environment: 'COUNTERSIGN_SPOOL_BYTES_MAX',
    schema: integer(0, Number.MAX_SAFE_INTEGER),
    default: '1073741824',
    help: 'Disk space for all of them together, in bytes. When it is used up, requests with larger bodies are rejected with 503.',
  },
  createdMaxAgeSeconds: {
    environment: 'COUNTERSIGN_CREATED_MAX_AGE_SECONDS',
    schema: integer(1, 3600),
    default: '300',
    help: 'Maximum age of a signature, in seconds.',
  },
  createdMaxFutureSeconds: {
    environment: 'COUNTERSIGN_CREATED_MAX_FUTURE_SECONDS',
    schema: integer(0, 3600),
    default: '60',
    help: "How far a signature's created may be ahead of the service's clock, in seconds.",
  },
  dateMaxDifferenceSeconds: {
    environment: 'COUNTERSIGN_DATE_MAX_DIFFERENCE_SECONDS',
    schema: integer(0, 3600),
    default: '60',
    help: 'Maximum difference between Date and created, in seconds.',
  },
  nonce: {
    environment: 'COUNTERSIGN_NONCE',
    schema: oneOf(['off', 'optional', 'required']),
    default: 'off',
    help: 'Whether signatures have the nonce parameter: off, optional or required.',
  },
  profiles: {
    environment: 'COUNTERSIGN_PROFILES',
    schema: profileList,
    default: '',
    help: 'Profiles that clients may have besides the closed one, separated by commas, such as curl-8.22 (docs/message-profiles.md). A JSON list can also hold profiles of your own.',
  },
  baseUrlProfiles: {
    environment: 'COUNTERSIGN_BASE_URL_PROFILES',
    schema: baseUrlProfilesSchema,
    default: '',
    help: 'Base URLs that accept only some of these profiles: https://agents.example.com=web-bot-auth-01; https://api.example.com=countersign,curl-8.22, or an object of lists in the file. Default: each accepts all.',
  },
  directoryOrigins: {
    environment: 'COUNTERSIGN_DIRECTORY_ORIGINS',
    schema: trustedOrigins,
    default: '',
    help: 'Origins of an intranet from which directories of keys may be fetched, separated by commas, with http, another port or a private address: https://keys.intranet:8443. Whoever may change clients can make the service send GET requests there.',
  },
  directoryKeptDays: {
    environment: 'COUNTERSIGN_DIRECTORY_KEPT_DAYS',
    schema: integer(1, 90),
    default: '7',
    help: "Days that a client's keys still verify while its directory of keys cannot be read.",
  },
  webhookOrigins: {
    environment: 'COUNTERSIGN_WEBHOOK_ORIGINS',
    schema: trustedOrigins,
    default: '',
    help: 'Origins of an intranet to which webhooks may be sent, separated by commas, with http, another port or a private address: https://hooks.intranet:8443. Whoever may change webhooks can make the service send POST requests there.',
  },
  webhookSecret: {
    environment: 'COUNTERSIGN_WEBHOOK_SECRET',
    schema: secretText(32).optional(),
    default: undefined,
    help: "Key that encrypts the webhooks' secrets in the database, the same on all nodes. Default: none; they are stored as they are.",
  },
  streams: {
    environment: 'COUNTERSIGN_STREAMS',
    schema: streamsSchema,
    default: '{}',
    help: 'Streams of the audit log and the request log to a SIEM: an object by name, as JSON in the variable: {"siem":{"what":["audit"],"to":"https://siem.example.com/ingest"}}.',
  },
  streamSecrets: {
    environment: 'COUNTERSIGN_STREAM_SECRETS',
    schema: streamSecretsSchema,
    default: '{}',
    help: 'What streams send as Authorization: an object by the name of the stream, as JSON in the variable: {"siem":"Bearer …"}.',
  },
  repeat: {
    environment: 'COUNTERSIGN_REPEAT',
    schema: oneOf(['equal-reads', 'strict', 'unsafe-only']),
    default: 'equal-reads',
    help: 'Which requests may be repeated: identical GET, HEAD and OPTIONS within 2 s (equal-reads), none (strict), or reads at any time (unsafe-only).',
  },
  guard: {
    environment: 'COUNTERSIGN_GUARD',
    schema: oneOf(guardKinds).optional(),
    default: undefined,
    help: 'Where the replay guard stores used signatures: memory (one node), postgres or redis. Default: redis with a Redis URL, else postgres with a database URL, else memory.',
  },
  guardEntriesMax: {
    environment: 'COUNTERSIGN_GUARD_ENTRIES_MAX',
    schema: integer(1, 10_000_000),
    default: '1000000',
    help: 'Maximum number of signatures that the replay guard remembers. When it is full, requests are rejected with 503.',
  },
  guardTimeoutMs: {
    environment: 'COUNTERSIGN_GUARD_TIMEOUT_MS',
    schema: integer(300, 5000),
    default: '900',
    help: 'Milliseconds that a request waits for the replay guard in PostgreSQL or Redis before it is rejected with 503.',
  },
  nodes: {
    environment: 'COUNTERSIGN_NODES',
    schema: integer(1, 1000),
    default: '1',
    help: 'Number of nodes that serve the same clients. With more than one, a database URL and a shared guard are required.',
  },
  threads: {
    environment: 'COUNTERSIGN_THREADS',
    schema: integer(1, 32),
    default: '1',
    help: 'Number of threads that serve the protected API. More than 1 needs Linux, the memory guard and the database file.',
  },
  clientRequestsPerMinuteMax: {
    environment: 'COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX',
    schema: integer(0, 10_000_000),
    default: '6000',
    help: 'Requests accepted from each client per minute, on average; 0 for no limit. Accounts and clients can have their own limits. With Redis, all nodes count together; otherwise each counts on its own.',
  },
  clientRequestsBurstMax: {
    environment: 'COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX',
    schema: integer(1, 10_000_000),
    default: '1000',
    help: 'Requests that a client can send in a burst, if there is a limit per minute.',
  },
  addressFailuresPerMinuteMax: {
    environment: 'COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX',
    schema: integer(0, 10_000_000),
    default: '3000',
    help: 'Requests without a valid signature that each node examines per minute and address; 0 for no limit. Trusted proxies are not limited.',
  },
  overloadFailuresPerMinuteMax: {
    environment: 'COUNTERSIGN_OVERLOAD_FAILURES_PER_MINUTE_MAX',
    schema: integer(0, 10_000_000),
    default: '300',
    help: 'The same while a node cannot keep up: an address that exceeds it gets no new connections; 0 to treat all addresses alike.',
  },
  connectionsMax: {
    environment: 'COUNTERSIGN_CONNECTIONS_MAX',
    schema: integer(16, 1_000_000).optional(),
    default: undefined,
    help: 'Open connections of all listeners together. Default: what the limit on open files allows, at most 10000.',
  },
  addressConnectionsMax: {
    environment: 'COUNTERSIGN_ADDRESS_CONNECTIONS_MAX',
    schema: integer(0, 1_000_000),
    default: '256',
    help: 'Connections of one address on which no signature has been verified yet; 0 for no limit. Above it, a new connection closes the oldest. Trusted proxies are not limited.',
  },
  unprovedIdleSeconds: {
    environment: 'COUNTERSIGN_UNPROVED_IDLE_SECONDS',
    schema: integer(1, 65),
    default: '5',
    help: 'Seconds after which such a connection is closed without a complete request head.',
  },
  keepAliveSeconds: {
    environment: 'COUNTERSIGN_KEEP_ALIVE_SECONDS',
    schema: integer(65, 3600),
    default: '65',
    help: 'Seconds after which any other idle connection is closed. More than the load balancer keeps its own.',
  },
  rsaModulusBitsMax: {
    environment: 'COUNTERSIGN_RSA_MODULUS_BITS_MAX',
    schema: integer(2048, 8192),
    default: '4096',
    help: 'Largest RSA key that can be registered, in bits.',
  },
  allowPublishedTestKeys: {
    environment: 'COUNTERSIGN_ALLOW_PUBLISHED_TEST_KEYS',
    schema: yesOrNo,
    default: 'no',
    help: 'DANGEROUS, for sandboxes only: accept keys whose private half is public.',
  },
  paymentsCompleteAfterSeconds: {
    environment: 'COUNTERSIGN_PAYMENTS_COMPLETE_AFTER_SECONDS',
    schema: integer(0, 86_400),
    default: '30',
    help: 'Seconds after which a pending sandbox payment is completed.',
  },
  permissions: {
    environment: 'COUNTERSIGN_PERMISSIONS',
    schema: listOfPermissions,
    default: '',
    help: `Permissions that this deployment adds for its roles, with summaries: "invoices:read=Read invoices; invoices:write=Change invoices", or an object in the file. The service's own resource names are reserved.`,
  },
  problemTypeBase: {
    environment: 'COUNTERSIGN_PROBLEM_TYPE_BASE',
    schema: z.string().min(1, 'must not be empty').optional(),
    default: undefined,
    help: 'URL of the page that explains the error codes. Default: /docs/errors of the first public base URL.',
  },
  shownQueryParameters: {
    environment: 'COUNTERSIGN_SHOWN_QUERY_PARAMETERS',
    schema: parameterNames,
    default: '',
    help: 'Query parameters whose values are stored with the requests that owners see, for example `limit,cursor`. Only the names of all others are stored.',
  },
  requestsKeptDays: {
    environment: 'COUNTERSIGN_REQUESTS_KEPT_DAYS',
    schema: integer(0, 3650),
    default: '30',
    help: 'Days that requests are kept for their owners; 0 for no limit.',
  },
  requestsKeptMax: {
    environment: 'COUNTERSIGN_REQUESTS_KEPT_MAX',
    schema: integer(0, 1_000_000_000),
    default: '1000000',
    help: 'Maximum number of requests kept, for all accounts together; 0 for no limit. Above it, the oldest are removed.',
  },
  logLevel: {
    environment: 'COUNTERSIGN_LOG_LEVEL',
    schema: oneOf(logLevels),
    default: 'info',
    help: `What is logged, as JSON lines: ${logLevels.join(', ')}.`,
  },
  logFile: {
    environment: 'COUNTERSIGN_LOG_FILE',
    schema: z.string(),
    default: '',
    help: 'File to append the log to. Empty: standard error. With --demo: log.jsonl in the data folder.',
  },
  metricsHost: {
    environment: 'COUNTERSIGN_METRICS_HOST',
    schema: z.string().min(1, 'must not be empty'),
    default: '127.0.0.1',
    help: 'Address to serve the metrics on.',
  },
  metricsPort: {
    environment: 'COUNTERSIGN_METRICS_PORT',
    schema: integer(0, 65_535).optional(),
    default: undefined,
    help: "TCP port for the metrics, at /metrics in Prometheus' format. 0 picks a free port. Default: no metrics.",
  },
  startSecondsMax: {
    environment: 'COUNTERSIGN_START_SECONDS_MAX',
    schema: integer(0, 86_400),
    default: '0',
    help: 'Seconds that a start waits for PostgreSQL or Redis while they are down; 0 to wait forever.',
  },
  stopSecondsMax: {
    environment: 'COUNTERSIGN_STOP_SECONDS_MAX',
    schema: integer(0, 600),
    default: '10',
    help: 'Seconds that a stop waits for running requests.',
  },
  stopDelaySeconds: {
    environment: 'COUNTERSIGN_STOP_DELAY_SECONDS',
    schema: integer(0, 600).optional(),
    default: undefined,
    help: 'Seconds that a node keeps serving after SIGTERM while /ready returns 503, so that the load balancer stops using it first. Default: 5 with several nodes, else 0.',
  },
  demonstration: {
    environment: 'COUNTERSIGN_DEMONSTRATION',
    schema: yesOrNo,
    default: 'no',
    help: 'On the first start, create a demo client, demo members and demo data, and demonstrate the service. npm start sets it to yes.',
  },
  portal: {
    environment: 'COUNTERSIGN_PORTAL',
    schema: yesOrNo,
    default: 'yes',
    help: 'Serve the account portal at /portal/, where people sign in.',
  },
  serviceName: {
    environment: 'COUNTERSIGN_SERVICE_NAME',
    schema: shownName,
    default: 'Countersign',
    help: 'Name of this service in the portal, emails and authenticator apps.',
  },
  logoFile: {
    environment: 'COUNTERSIGN_LOGO_FILE',
    schema: fileName.optional(),
    default: undefined,
    help: "Your logo in the portal, which is also its icon: an SVG or PNG file of at most 256 KiB. Default: the portal's own.",
  },
  darkLogoFile: {
    environment: 'COUNTERSIGN_DARK_LOGO_FILE',
    schema: fileName.optional(),
    default: undefined,
    help: 'The logo on dark backgrounds. Default: the same logo.',
  },
  accentColor: {
    environment: 'COUNTERSIGN_ACCENT_COLOR',
    schema: hexColor.optional(),
    default: undefined,
    help: "Color of buttons, links and bars in the portal, such as #0a7c66. It is darkened if white text on it could not be read. Default: the portal's own.",
  },
  portalSecret: {
    environment: 'COUNTERSIGN_PORTAL_SECRET',
    schema: secretText(32).optional(),
    default: undefined,
    help: "Key that encrypts the authenticator apps' secrets, the same on all nodes. Default: generated once and stored in the database.",
  },
  breachedPasswordsFile: {
    environment: 'COUNTERSIGN_BREACHED_PASSWORDS_FILE',
    schema: fileName.optional(),
    default: undefined,
    help: 'File of leaked passwords that nobody may choose: SHA-1 hashes in ascending order, as Have I Been Pwned publishes them, or passwords, one per line, at most 16 MiB. Default: none.',
  },
  ownerIdleMinutes: {
    environment: 'COUNTERSIGN_OWNER_IDLE_MINUTES',
    schema: integer(5, 720),
    default: '15',
    help: "Minutes without a click, keystroke or scrolling after which owners of accounts and the operator's people are signed out of the portal. For everyone else it is 12 hours.",
  },
  allowOperatorsWithoutSecondFactor: {
    environment: 'COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR',
    schema: yesOrNo,
    default: 'no',
    help: "Let the operator's people use the portal with a password or the identity provider alone.",
  },
  mailUrl: {
    environment: 'COUNTERSIGN_MAIL_URL',
    schema: secretUrl(['smtp:', 'smtps:'], 'smtp://user:password@host:587').optional(),
    default: undefined,
    help: 'Mail server for invitations and new passwords. Default: none; emails are written to the folder mail in the data folder.',
  },
  mailFrom: {
    environment: 'COUNTERSIGN_MAIL_FROM',
    schema: z.email({ error: 'must be one email address' }).optional(),
    default: undefined,
    help: 'Sender address of emails; required with a mail server. Default: none.',
  },
  mailRequireTls: {
    environment: 'COUNTERSIGN_MAIL_REQUIRE_TLS',
    schema: yesOrNo.optional(),
    default: undefined,
    help: 'Send email only over TLS, by STARTTLS with smtp://. Default: yes if the URL has a user, because the password would be sent unencrypted otherwise; else no.',
  },
  oidcIssuer: {
    environment: 'COUNTERSIGN_OIDC_ISSUER',
    schema: issuer.optional(),
    default: undefined,
    help: 'OpenID Connect provider that people can also sign in with. Its redirect URI is /portal/auth/oidc/callback of each public base URL. Default: none.',
  },
  oidcClientId: {
    environment: 'COUNTERSIGN_OIDC_CLIENT_ID',
    schema: z.string().min(1, 'must not be empty').optional(),
    default: undefined,
    help: 'Client ID of this service at that provider; required with an issuer. Default: none.',
  },
  oidcClientSecret: {
    environment: 'COUNTERSIGN_OIDC_CLIENT_SECRET',
    schema: secretText(1).optional(),
    default: undefined,
    help: 'Client secret of this service at that provider; required with an issuer. Default: none.',
  },
  oidcName: {
    environment: 'COUNTERSIGN_OIDC_NAME',
    schema: shownName,
    default: 'your company',
    help: "The provider's name on the sign-in page.",
  },
  oidcTrustEmailAddresses: {
    environment: 'COUNTERSIGN_OIDC_TRUST_EMAIL_ADDRESSES',
    schema: yesOrNo,
    default: 'no',
    help: 'Whether its email addresses count as verified unless it says otherwise: for providers that omit email_verified or send it as text, and whose addresses only their administrators can set.',
  },
};

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
