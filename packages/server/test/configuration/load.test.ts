import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';
import { loadConfigurationAtStart } from '../../src/configuration/load-at-start.ts';
import { type Configuration, ConfigurationError } from '../../src/configuration/load.ts';
import { settings } from '../../src/configuration/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-configuration-'));
after(() => rmSync(folder, { recursive: true }));

function openApiFile(): string {
  const file = join(folder, 'openapi.json');
  const paths = { '/v1/items': { get: { 'x-permission': 'items:read' } } };
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths }));
  return file;
}

let files = 0;

/** Loads with a configuration file of this content. */
function loadFile(content: unknown, environment: Record<string, string> = {}): Configuration {
  const file = join(folder, `${++files}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return loadConfiguration({ COUNTERSIGN_CONFIGURATION_FILE: file, ...environment });
}

function mistakesOf(load: () => Configuration): readonly string[] {
  try {
    load();
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    for (const mistake of error.mistakes) assert.ok(error.message.includes(mistake));
    return error.mistakes;
  }
  return [];
}

describe('mistakes', () => {
  const wrong: [string, string, RegExp][] = [
    ['COUNTERSIGN_HOST', '', /must not be empty/],
    ['COUNTERSIGN_PORT', '', /must be a whole number/],
    ['COUNTERSIGN_PORT', '65536', /must be at most 65535/],
    ['COUNTERSIGN_PORT', '-1', /must be a whole number/],
    ['COUNTERSIGN_PORT', '80 ', /must be a whole number/],
    ['COUNTERSIGN_PORT', '1e3', /must be a whole number/],
    ['COUNTERSIGN_PORT', '0x50', /must be a whole number/],
    ['COUNTERSIGN_PORT', '9'.repeat(400), /must be at most 65535/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', '', /must name at least one URL/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'api.example.com', /is not a base URL/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'ftp://api.example.com', /is not a base URL/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://API.example.com', /lower-case host/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://api.example.com/', /no trailing slash/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://api.example.com/a?b', /no query/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://api.example.com/a#b', /no fragment/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://api.example.com:', /is not a base URL/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://api.example.com:99999', /is not a base URL/],
    ['COUNTERSIGN_PUBLIC_BASE_URLS', 'https://', /is not a base URL/],
    [
      'COUNTERSIGN_PUBLIC_BASE_URLS',
      'https://api.example.com,http://api.example.com',
      /two base URLs have the host/,
    ],
    [
      'COUNTERSIGN_PUBLIC_BASE_URLS',
      'https://api.example.com,http://api.example.com:443',
      /two base URLs have the host/,
    ],
    ['COUNTERSIGN_DIRECTORY_ORIGINS', '*', /must be an origin without a path/],
    ['COUNTERSIGN_DIRECTORY_ORIGINS', 'https://keys.intranet/', /must be an origin without a path/],
    ['COUNTERSIGN_DIRECTORY_ORIGINS', 'ftp://keys.intranet', /must be an origin without a path/],
    ['COUNTERSIGN_DIRECTORY_ORIGINS', 'https://KEYS.intranet', /must be an origin without a path/],
    ['COUNTERSIGN_DIRECTORY_ORIGINS', 'https://user@keys.intranet', /must be an origin without a path/],
    ['COUNTERSIGN_WEBHOOK_ORIGINS', 'https://hooks.intranet/', /must be an origin without a path/],
    ['COUNTERSIGN_WEBHOOK_SECRET', 'short', /must have at least 32 characters/],
    ['COUNTERSIGN_STREAMS', '{', /must be JSON/],
    ['COUNTERSIGN_STREAMS', '[]', /must be an object with the names of streams as keys/],
    [
      'COUNTERSIGN_STREAMS',
      '{"SIEM":{"what":"audit","to":"https://a.example"}}',
      /must be a name of lower-case/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"to":"https://a.example"}}',
      /siem what 1: must be one of: audit, requests/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":["audit","audit"],"to":"https://a.example"}}',
      /must not repeat anything/,
    ],
    ['COUNTERSIGN_STREAMS', '{"siem":{"what":"audit"}}', /siem to: must be the URL of the receiver/],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"ftp://a.example"}}',
      /siem to: must be a URL like/,
    ],
    ['COUNTERSIGN_STREAMS', '{"siem":{"what":"audit","to":"http://a.example"}}', /for this machine only/],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"syslog+tcp://10.0.0.1:514"}}',
      /for this machine only/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"syslog+tls://a.example/x"}}',
      /a scheme, host and port only/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"https://user:hunter2@a.example"}}',
      /must not contain a user or password/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"https://a.example","from":"yesterday"}}',
      /must be now/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"requests","to":"https://a.example","from":7}}',
      /a position only if nothing but audit/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"https://a.example","stallSeconds":9}}',
      /must be at least 10/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"https://a.example","enterpriseNumber":1}}',
      /is for syslog only/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"https://a.example","format":"cef"}}',
      /must be one of: countersign, ecs/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"syslog+tls://a.example","format":"ecs"}}',
      /must be countersign for syslog/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"syslog+tls://a.example","enterpriseNumber":32473}}',
      /must be your own/,
    ],
    [
      'COUNTERSIGN_STREAMS',
      '{"siem":{"what":"audit","to":"https://a.example","certificateAuthorityFile":"/nowhere.pem"}}',
      /siem certificateAuthorityFile: \/nowhere.pem cannot be read \(ENOENT\)/,
    ],
    ['COUNTERSIGN_STREAM_SECRETS', '{"siem":"Bearer hunter2"}', /there is no stream "siem"/],
    ['COUNTERSIGN_STREAM_SECRETS', '{"siem":"hunter2\\n"}', /value of an Authorization header/],
    ['COUNTERSIGN_DIRECTORY_KEPT_DAYS', '0', /must be at least 1/],
    ['COUNTERSIGN_DIRECTORY_KEPT_DAYS', '91', /must be at most 90/],
    ['COUNTERSIGN_DIRECTORY_KEPT_DAYS', 'forever', /must be a whole number/],
    ['COUNTERSIGN_UPSTREAM', '127.0.0.1:3000', /must be scheme, host and port/],
    [
      'COUNTERSIGN_UPSTREAM',
      'http://127.0.0.1:3000/base',
      /without a path: the target is forwarded unchanged/,
    ],
    ['COUNTERSIGN_UPSTREAM', 'http://user:hunter2@host', /without user information/],
    ['COUNTERSIGN_UPSTREAM', 'http://0x7f000001:3000', /must be written http:\/\/127\.0\.0\.1:3000/],
    ['COUNTERSIGN_UPSTREAM', 'http://127.1', /must be written http:\/\/127\.0\.0\.1/],
    ['COUNTERSIGN_SIGN_FORWARDED', 'often', /must be yes or no/],
    ['COUNTERSIGN_SIGN_FORWARDED', 'yes', /it needs COUNTERSIGN_UPSTREAM; .*"sign": true/],
    ['COUNTERSIGN_SIGN_RESPONSES', 'sometimes', /must be yes or no/],
    ['COUNTERSIGN_SIGN_RESPONSES', 'yes', /it needs COUNTERSIGN_UPSTREAM; .*"signResponses": true/],
    ['COUNTERSIGN_OPENAPI', 'api.yaml', /it needs COUNTERSIGN_UPSTREAM/],
    ['COUNTERSIGN_OPENAPI_READING', '{"path":{}}', /Unrecognized key/],
    ['COUNTERSIGN_API_BASE_URLS', 'shop.example', /is not a base URL/],
    ['COUNTERSIGN_API_PORT', '65536', /must be at most 65535/],
    ['COUNTERSIGN_UPSTREAMS', '{', /must be JSON/],
    [
      'COUNTERSIGN_UPSTREAMS',
      '{"Shop":{"addresses":"http://127.0.0.1:3000"}}',
      /must be a name of lower-case letters/,
    ],
    [
      'COUNTERSIGN_UPSTREAMS',
      '{"shop":{"addresses":"ftp://host"}}',
      /shop addresses 1: must be scheme, host and port/,
    ],
    ['COUNTERSIGN_ROUTES', '[{"path":"/a","permission":"none"}]', /they need COUNTERSIGN_UPSTREAM/],
    ['COUNTERSIGN_ROUTES', '[{"path":"/a"}]', /1 permission: must be a string/],
    [
      'COUNTERSIGN_ROUTES',
      '[{"path":"/a","permission":"none","signResponses":"yes"}]',
      /1 signResponses: must be true or false/,
    ],
    [
      'COUNTERSIGN_ROUTES',
      '[{"path":"/a","permission":"none","signedBytesMax":67108865}]',
      /1 signedBytesMax: must be at most 67108864/,
    ],
    [
      'COUNTERSIGN_AUTHORIZERS',
      '{"squid":{"from":["127.0.0.1"]}}',
      /must be an object with these protocols as keys: nginx, /,
    ],
    ['COUNTERSIGN_AUTHORIZERS', '{"nginx":{}}', /nginx from: must be a list/],
    ['COUNTERSIGN_AUTHORIZERS', '{"nginx":{"from":[]}}', /nginx from: must name at least one address/],
    ['COUNTERSIGN_AUTHORIZERS', '{"nginx":{"from":["0.0.0.0"]}}', /whatever anyone writes/],
    [
      'COUNTERSIGN_AUTHORIZERS',
      '{"nginx":{"from":["::1"],"body":"yes"}}',
      /must be one of: refuse, digest, unchecked/,
    ],
    ['COUNTERSIGN_AUTHORIZERS', '{"nginx":{"from":["::1"]}}', /they need COUNTERSIGN_API_BASE_URLS/],
    ['COUNTERSIGN_AUTHORIZER_PORT', '65536', /must be at most 65535/],
    ['COUNTERSIGN_AUTHORIZER_GRPC_PORT', '-1', /must be a whole number/],
    ['COUNTERSIGN_BASE_URL_PROFILES', 'countersign', /"countersign" is not a base URL/],
    [
      'COUNTERSIGN_BASE_URL_PROFILES',
      'http://localhost:8421',
      /localhost:8421 must have at least one profile/,
    ],
    ['COUNTERSIGN_BASE_URL_PROFILES', 'http://localhost:8421/=countersign', /no trailing slash/],
    [
      'COUNTERSIGN_BASE_URL_PROFILES',
      'http://a:hunter2@localhost=countersign',
      /cannot have user information/,
    ],
    [
      'COUNTERSIGN_BASE_URL_PROFILES',
      'http://localhost:8421=countersign; http://localhost:8421=countersign',
      /localhost:8421 must occur only once/,
    ],
    [
      'COUNTERSIGN_BASE_URL_PROFILES',
      'https://agents.example.com=countersign',
      /agents\.example\.com must be one of the base URLs: http:\/\/127\.0\.0\.1:8421, http:\/\/localhost:8421$/m,
    ],
    [
      'COUNTERSIGN_BASE_URL_PROFILES',
      'http://localhost:8421=web-bot-auth-01',
      /localhost:8421: there is no profile "web-bot-auth-01"; there is: countersign, countersign-without-date$/m,
    ],
    ['COUNTERSIGN_DATA_FOLDER', '', /must not be empty/],
    ['COUNTERSIGN_TRUSTED_PROXIES', '10.0.0.1,proxy.example', /"proxy\.example"/],
    ['COUNTERSIGN_TRUSTED_PROXIES', '0.0.0.0', /whatever anyone writes/],
    ['COUNTERSIGN_TRUSTED_PROXIES', '0.0.0.0/0', /whatever anyone writes/],
    ['COUNTERSIGN_TRUSTED_PROXIES', '::/0', /whatever anyone writes/],
    ['COUNTERSIGN_BODY_BYTES_MAX', '1MiB', /must be a whole number/],
    ['COUNTERSIGN_BODY_MEMORY_BYTES_MAX', '-1', /must be a whole number/],
    ['COUNTERSIGN_SPOOL_FOLDER', '', /must not be empty/],
    ['COUNTERSIGN_SPOOL_BYTES_MAX', 'many', /must be a whole number/],
    ['COUNTERSIGN_CREATED_MAX_AGE_SECONDS', '0', /must be at least 1/],
    ['COUNTERSIGN_CREATED_MAX_AGE_SECONDS', '3601', /must be at most 3600/],
    ['COUNTERSIGN_CREATED_MAX_FUTURE_SECONDS', '3601', /must be at most 3600/],
    ['COUNTERSIGN_DATE_MAX_DIFFERENCE_SECONDS', '1.5', /must be a whole number/],
    ['COUNTERSIGN_CORS_ORIGINS', 'app.example.com', /must be an origin as browsers write it/],
    ['COUNTERSIGN_CORS_ORIGINS', 'https://app.example.com/', /must be an origin as browsers write it/],
    ['COUNTERSIGN_CORS_PREFLIGHTS', 'yes', /must be one of: answer, forward/],
    ['COUNTERSIGN_NONCE', 'yes', /must be one of: off, optional, required/],
    ['COUNTERSIGN_PROFILES', 'curl', /has no profile "curl": the names are .*curl-8\.22/],
    ['COUNTERSIGN_PROFILES', 'countersign', /leave it out/],
    ['COUNTERSIGN_PROFILES', 'curl-8.22,curl-8.22', /names the profile curl-8\.22 twice/],
    ['COUNTERSIGN_PROFILES', '[{"id":"own"}]', /"own"[^]*"components" is missing/],
    ['COUNTERSIGN_REPEAT', 'always', /must be one of: equal-reads, strict, unsafe-only/],
    ['COUNTERSIGN_GUARD_ENTRIES_MAX', '0', /must be at least 1/],
    ['COUNTERSIGN_GUARD_TIMEOUT_MS', '60000', /must be at most 5,?000/],
    ['COUNTERSIGN_NODES', '2', /several nodes need a shared database/],
    ['COUNTERSIGN_THREADS', '33', /must be at most 32/],
    ['COUNTERSIGN_THREADS', '2', /serve a protected API, and none is configured/],
    ['COUNTERSIGN_DATABASE_URL', '', /must be a URL like postgresql:/],
    ['COUNTERSIGN_DATABASE_URL', 'mysql://host/database', /must be a URL like postgresql:/],
    [
      'COUNTERSIGN_DATABASE_URL',
      'postgresql://user:hunter2#x@host/database',
      /must be a URL like postgresql:/,
    ],
    ['COUNTERSIGN_DATABASE_CONNECTIONS_MAX', '1', /must be at least 2/],
    ['COUNTERSIGN_GUARD', 'disk', /must be one of: memory, postgres, redis/],
    ['COUNTERSIGN_GUARD', 'postgres', /needs COUNTERSIGN_DATABASE_URL/],
    ['COUNTERSIGN_GUARD', 'redis', /needs COUNTERSIGN_REDIS_URL/],
    ['COUNTERSIGN_REDIS_URL', 'https://redis.example', /must be a URL like redis:/],
    ['COUNTERSIGN_ALLOW_REDIS_WITHOUT_APPEND_ONLY_FILE', 'maybe', /must be yes or no/],
    ['COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX', '-1', /must be a whole number/],
    ['COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX', '0', /must be at least 1/],
    ['COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX', '10000001', /must be at most 10000000/],
    ['COUNTERSIGN_OVERLOAD_FAILURES_PER_MINUTE_MAX', '-1', /must be a whole number/],
    ['COUNTERSIGN_CONNECTIONS_MAX', '15', /must be at least 16/],
    ['COUNTERSIGN_ADDRESS_CONNECTIONS_MAX', '-1', /must be a whole number/],
    ['COUNTERSIGN_UNPROVED_IDLE_SECONDS', '0', /must be at least 1/],
    ['COUNTERSIGN_RSA_MODULUS_BITS_MAX', '1024', /must be at least 2048/],
    ['COUNTERSIGN_RSA_MODULUS_BITS_MAX', '16384', /must be at most 8192/],
    ['COUNTERSIGN_ALLOW_PUBLISHED_TEST_KEYS', 'on', /must be yes or no/],
    ['COUNTERSIGN_PAYMENTS_COMPLETE_AFTER_SECONDS', '-5', /must be a whole number/],
    ['COUNTERSIGN_PERMISSIONS', 'keys:burn=Burn keys', /must not name the resource keys/],
    ['COUNTERSIGN_PERMISSIONS', 'invoices:read', /must have a summary/],
    ['COUNTERSIGN_PROBLEM_TYPE_BASE', '', /must not be empty/],
    ['COUNTERSIGN_SHOWN_QUERY_PARAMETERS', 'limit,a b', /"a b": must be a name of letters/],
    ['COUNTERSIGN_REQUESTS_KEPT_DAYS', '-1', /must be a whole number/],
    ['COUNTERSIGN_REQUESTS_KEPT_MAX', 'all', /must be a whole number/],
    ['COUNTERSIGN_LOG_LEVEL', 'verbose', /must be one of: debug/],
    ['COUNTERSIGN_METRICS_HOST', '', /must not be empty/],
    ['COUNTERSIGN_METRICS_PORT', '65536', /must be at most 65535/],
    ['COUNTERSIGN_STOP_SECONDS_MAX', '601', /must be at most 600/],
    ['COUNTERSIGN_KEEP_ALIVE_SECONDS', '64', /must be at least 65/],
    ['COUNTERSIGN_STOP_DELAY_SECONDS', '601', /must be at most 600/],
    ['COUNTERSIGN_START_SECONDS_MAX', 'forever', /must be a whole number/],
    ['COUNTERSIGN_MAIL_REQUIRE_TLS', 'maybe', /must be yes or no/],
    ['COUNTERSIGN_DATABASE_CONNECT_TIMEOUT_MS', '99', /must be at least 100/],
    ['COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS', '99', /must be at least 100/],
    ['COUNTERSIGN_DEMONSTRATION', 'maybe', /must be yes or no/],
    ['COUNTERSIGN_PORTAL', 'on', /must be yes or no/],
    ['COUNTERSIGN_SERVICE_NAME', ' Countersign', /must be a name/],
    ['COUNTERSIGN_LOGO_FILE', '/nowhere/logo.svg', /logo\.svg cannot be read \(ENOENT\)/],
    ['COUNTERSIGN_DARK_LOGO_FILE', '', /must not be empty/],
    ['COUNTERSIGN_ACCENT_COLOR', 'teal', /must be a color of six hexadecimal digits/],
    ['COUNTERSIGN_PORTAL_SECRET', 'short', /must have at least 32 characters/],
    ['COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR', 'maybe', /must be yes or no/],
    ['COUNTERSIGN_BREACHED_PASSWORDS_FILE', '/nowhere/leaked.txt', /leaked\.txt cannot be read \(ENOENT\)/],
    ['COUNTERSIGN_OWNER_IDLE_MINUTES', '4', /must be at least 5/],
    ['COUNTERSIGN_OIDC_NAME', '', /must be a name/],
    ['COUNTERSIGN_MAIL_URL', 'smtp://mail.example', /needs COUNTERSIGN_MAIL_FROM too/],
    ['COUNTERSIGN_MAIL_FROM', 'portal@example.com', /needs COUNTERSIGN_MAIL_URL too/],
    [
      'COUNTERSIGN_OIDC_ISSUER',
      'https://login.example.com',
      /needs COUNTERSIGN_OIDC_CLIENT_ID and COUNTERSIGN_OIDC_CLIENT_SECRET too/,
    ],
    ['COUNTERSIGN_OIDC_CLIENT_ID', 'portal', /needs COUNTERSIGN_OIDC_ISSUER/],
    ['COUNTERSIGN_OIDC_TRUST_EMAIL_ADDRESSES', 'perhaps', /must be/],
    ['COUNTERSIGN_OIDC_CLIENT_SECRET', 'x', /needs COUNTERSIGN_OIDC_ISSUER/],
  ];
  for (const [variable, value, expected] of wrong) {
    test(`${variable}=${value.slice(0, 60)}`, () => {
      const mistakes = mistakesOf(() => loadConfiguration({ [variable]: value }));
      assert.equal(mistakes.length, 1, mistakes.join('\n'));
      assert.match(mistakes[0]!, expected);
      assert.ok(mistakes[0]!.startsWith(`${variable}: `));
    });
  }

  test('those that belong together, each with what is wrong with it', () => {
    const oidc = {
      COUNTERSIGN_OIDC_ISSUER: 'http://login.example.com',
      COUNTERSIGN_OIDC_CLIENT_ID: '',
      COUNTERSIGN_OIDC_CLIENT_SECRET: '',
      COUNTERSIGN_MAIL_URL: 'mail.example',
      COUNTERSIGN_MAIL_FROM: 'nobody',
    };
    assert.deepEqual(
      mistakesOf(() => loadConfiguration(oidc)),
      [
        'COUNTERSIGN_MAIL_URL: must be a URL like smtp://user:password@host:587',
        'COUNTERSIGN_MAIL_FROM: must be one email address',
        'COUNTERSIGN_OIDC_ISSUER: must be the URL of an issuer like https://login.example.com',
        'COUNTERSIGN_OIDC_CLIENT_ID: must not be empty',
        'COUNTERSIGN_OIDC_CLIENT_SECRET: must have at least 1 characters',
      ],
    );
    const here = { ...oidc, COUNTERSIGN_OIDC_ISSUER: 'http://localhost:9000' };
    assert.equal(mistakesOf(() => loadConfiguration(here)).length, 4);
  });

  test('of routes that sign responses', () => {
    const route = { path: '/a', permission: 'none' };
    const content = {
      upstreams: {
        signing: { addresses: 'http://127.0.0.1:1', signResponses: true },
        other: { addresses: 'http://127.0.0.1:2' },
      },
      routes: [
        { ...route, path: '/1', upstream: 'signing', mode: 'observe' },
        { ...route, path: '/2', upstream: 'other', mode: 'observe', signResponses: true },
        { ...route, path: '/3', upstream: 'signing', upgrade: 'websocket' },
        { ...route, path: '/4', upstream: 'other', signedBytesMax: 1 },
        { ...route, path: '/5', upstream: 'signing', signResponses: false, signedBytesMax: 1 },
        { ...route, path: '/6', upstream: 'signing', signResponses: false, mode: 'observe' },
      ],
    };
    const strangers =
      '"mode": "observe" cannot be combined with signed responses, because strangers would get signatures';
    const inFile = '"routes" in the configuration file';
    const mistakes = [
      `${inFile}: 1: ${strangers}; add "signResponses": false`,
      `${inFile}: 2: ${strangers}; leave out one of the two`,
      `${inFile}: 3: "upgrade" cannot be combined with signed responses, because nothing is signed after the switch; add "signResponses": false`,
      `${inFile}: 4: "signedBytesMax" needs "signResponses": true`,
      `${inFile}: 5: "signedBytesMax" needs "signResponses": true`,
    ];
    assert.deepEqual(
      mistakesOf(() => loadFile(content)),
      mistakes,
    );
    const [, , , , ...sound] = content.routes;
    const besideProxies = {
      ...content,
      routes: [...sound.slice(1), { ...route, upstream: 'signing' }],
      apiBaseUrls: ['https://shop.example.test'],
      authorizers: { nginx: { from: ['127.0.0.1'] } },
    };
    assert.deepEqual(
      mistakesOf(() => loadFile(besideProxies)),
      [
        '"authorizers" in the configuration file: they cannot be combined with routes that sign responses, because their proxies pass responses on themselves',
      ],
    );
  });

  test('a misspelt profile is told, also with a table of routes', () => {
    const routes = [{ path: '/a', permission: 'none', profiles: ['curl'] }];
    const mistakes = mistakesOf(() =>
      loadFile({ upstream: 'http://127.0.0.1:3000', profiles: ['curl'], routes }),
    );
    assert.equal(mistakes.length, 1);
    assert.match(mistakes[0]!, /^"profiles" in the configuration file: .*has no profile "curl"/);
  });

  test('a base URL must accept a profile of each route, and the service each of its profiles', () => {
    const content = {
      upstream: 'http://127.0.0.1:3000',
      apiBaseUrls: ['https://agents.example.com', 'https://api.example.com'],
      profiles: ['curl-8.22', 'gnap-rfc9635'],
      routes: [
        { path: '/**', permission: 'none', profiles: ['curl-8.22', 'gnap-rfc9635'] },
        { path: '/a', permission: 'none', profiles: ['gnap-rfc9635'] },
        { path: '/b', permission: 'none', profiles: ['curl-8.22'], baseUrl: 'https://api.example.com' },
      ],
      baseUrlProfiles: {
        'https://agents.example.com': ['curl-8.22'],
        'https://api.example.com': 'countersign',
      },
    };
    assert.deepEqual(
      mistakesOf(() => loadFile(content)),
      [
        '"routes" in the configuration file: any method /a: "profiles" has none that is accepted at https://agents.example.com or https://api.example.com',
        '"routes" in the configuration file: any method /b: "profiles" has none that is accepted at https://api.example.com',
      ],
    );
    const unknown = { ...content, routes: [], baseUrlProfiles: { 'https://agents.example.com': ['curl'] } };
    assert.deepEqual(
      mistakesOf(() => loadFile(unknown)),
      [
        '"baseUrlProfiles" in the configuration file: https://agents.example.com: there is no profile "curl"; there is: countersign, countersign-without-date, curl-8.22, gnap-rfc9635',
      ],
    );
    const empty = { ...unknown, baseUrlProfiles: { 'https://agents.example.com': [] } };
    assert.match(
      mistakesOf(() => loadFile(empty)).join(),
      /agents\.example\.com must have at least one profile/,
    );
    for (const unreadable of [['countersign'], { 'https://agents.example.com': 7 }])
      assert.match(
        mistakesOf(() => loadFile({ ...unknown, baseUrlProfiles: unreadable })).join(),
        /must be base URLs with profiles/,
      );
  });

  test('secrets show themselves to nobody', () => {
    const secret = 'a secret of at least 32 characters';
    const configuration = loadConfiguration({ COUNTERSIGN_PORTAL_SECRET: secret });
    assert.equal(configuration.portalSecret?.reveal(), secret);
    for (const text of [
      JSON.stringify(configuration),
      String(configuration.portalSecret),
      inspect(configuration),
    ])
      assert.equal(text.includes('a secret'), false);
  });

  test('several nodes need a guard that they share', () => {
    const nodes = { COUNTERSIGN_NODES: '2', COUNTERSIGN_DATABASE_URL: 'postgresql://host/database' };
    const mistakes = mistakesOf(() => loadConfiguration({ ...nodes, COUNTERSIGN_GUARD: 'memory' }));
    assert.equal(mistakes.length, 1);
    assert.match(mistakes[0]!, /^COUNTERSIGN_NODES: .*set COUNTERSIGN_GUARD to postgres or redis/);
    assert.equal(loadConfiguration(nodes).guard, 'postgres');
  });

  test('several threads need what they share', () => {
    const threads = { COUNTERSIGN_THREADS: '2', COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:3000' };
    assert.equal(loadConfiguration(threads).threads, 2);
    const mistakesWith = (more: Record<string, string>): readonly string[] =>
      mistakesOf(() => loadConfiguration({ ...threads, ...more }));
    for (const guard of ['memory', 'postgres']) {
      const more = { COUNTERSIGN_DATABASE_URL: 'postgresql://host/database', COUNTERSIGN_GUARD: guard };
      const [mistake, ...others] = mistakesWith(more);
      assert.match(mistake!, /^COUNTERSIGN_THREADS: .*start several nodes instead/);
      assert.deepEqual(others, []);
    }
    const [mistake] = mistakesWith({
      COUNTERSIGN_API_PORT: '8421',
      COUNTERSIGN_PUBLIC_BASE_URLS: 'https://console.example.test',
      COUNTERSIGN_API_BASE_URLS: 'https://api.example.test',
    });
    assert.match(mistake!, /^COUNTERSIGN_THREADS: several threads need a COUNTERSIGN_API_PORT of their own/);
  });

  test('every setting but the free texts can be wrong', () => {
    const tested = new Set(wrong.map(([variable]) => variable));
    const untested = Object.values(settings).filter(({ environment }) => !tested.has(environment));
    assert.deepEqual(
      untested.map(({ environment }) => environment),
      ['COUNTERSIGN_LOG_FILE'],
    );
  });

  test('are told all at once, of environment and file', () => {
    const file = { port: 'http', nonce: 7, nodes: 3, trustedProxies: ['x', '10.0.0.1', 'y'], hots: '::' };
    const mistakes = mistakesOf(() =>
      loadFile(file, { COUNTERSIGN_HOST: '', COUNTERSIGN_PROT: '1', COUNTERSIGN_LOG_LEVEL: 'loud' }),
    );
    const about = [
      'COUNTERSIGN_PROT',
      '"hots"',
      'COUNTERSIGN_HOST',
      '"port"',
      '"trustedProxies"',
      '"trustedProxies"',
      '"nonce"',
      'COUNTERSIGN_LOG_LEVEL',
      '"nodes"',
    ];
    assert.deepEqual(
      mistakes.map((mistake) => /^[\w"]+/.exec(mistake)?.[0]),
      about,
    );
  });

  test('a name that does not exist: with the one that was meant', () => {
    assert.deepEqual(
      mistakesOf(() => loadConfiguration({ COUNTERSIGN_BASE_URLS: 'https://api.example.com' })),
      ['COUNTERSIGN_BASE_URLS: there is no such setting'],
    );
    assert.deepEqual(
      mistakesOf(() => loadConfiguration({ COUNTERSIGN_PROT: '1' })),
      ['COUNTERSIGN_PROT: there is no such setting; did you mean COUNTERSIGN_PORT?'],
    );
    assert.deepEqual(
      mistakesOf(() => loadFile({ trustedProxys: [] })),
      ['"trustedProxys" in the configuration file: there is no such setting; did you mean trustedProxies?'],
    );
  });
  test('names that every object has are no settings', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      const mistakes = mistakesOf(() => loadFile(`{"${name}":1}`));
      assert.equal(mistakes.length, 1, name);
    }
  });

  test('a Redis that nothing would use', () => {
    const both = { COUNTERSIGN_REDIS_URL: 'redis://:secret@redis.example', COUNTERSIGN_GUARD: 'memory' };
    assert.deepEqual(
      mistakesOf(() => loadConfiguration(both)),
      ['COUNTERSIGN_REDIS_URL: with COUNTERSIGN_GUARD=memory nothing uses it; remove one of the two'],
    );
  });

  test('of settings that do not go together, by the members of the file that has them', () => {
    assert.deepEqual(
      mistakesOf(() => loadFile({ redisUrl: 'redis://:secret@redis.example', guard: 'memory' })),
      [
        '"redisUrl" in the configuration file: with "guard" set to memory nothing uses it; remove one of the two',
      ],
    );
    // A variable that was set, or is to be, is a variable.
    assert.deepEqual(
      mistakesOf(() => loadFile({ guard: 'redis' })),
      ['"guard" in the configuration file: redis needs COUNTERSIGN_REDIS_URL'],
    );
    assert.deepEqual(
      mistakesOf(() => loadFile({ guard: 'memory' }, { COUNTERSIGN_REDIS_URL: 'redis://redis.example' })),
      ['COUNTERSIGN_REDIS_URL: with "guard" set to memory nothing uses it; remove one of the two'],
    );
    for (const mistake of mistakesOf(() =>
      loadFile({
        upstreams: {},
        routes: [{ path: 'orders', permission: 'nonsense' }],
        mailUrl: 'smtp://mail.example',
      }),
    ))
      assert.match(mistake, /^"\w+" in the configuration file: /);
  });

  const badFiles: [string, unknown, RegExp][] = [
    ['is no JSON', '{port: 1}', /is not JSON/],
    ['is empty', '', /is not JSON/],
    ['is an array', [], /must hold one JSON object/],
    ['is null', null, /must hold one JSON object/],
    ['has null for a setting', { port: null }, /"port" in the configuration file: must be a whole number/],
    ['has a text where a list is asked for', { publicBaseUrls: 'nonsense' }, /"nonsense" is not a base URL/],
    ['has a list of other things', { trustedProxies: [1] }, /"trustedProxies"/],
    ['has a number that is not whole', { port: 1.5 }, /"port"/],
    ['has a text for a number', { port: 'eighty' }, /must be a whole number/],
    ['has a number for yes or no', { demonstration: 1 }, /must be yes or no/],
  ];
  for (const [name, content, expected] of badFiles) {
    test(`a file that ${name}`, () => {
      const mistakes = mistakesOf(() => loadFile(content));
      assert.equal(mistakes.length, 1, mistakes.join('\n'));
      assert.match(mistakes[0]!, expected);
    });
  }
  test('a file that is not there, or is a folder', () => {
    const missing = { COUNTERSIGN_CONFIGURATION_FILE: join(folder, 'missing.json') };
    assert.match(mistakesOf(() => loadConfiguration(missing))[0]!, /cannot be read \(ENOENT\)/);
    assert.match(
      mistakesOf(() => loadConfiguration({ COUNTERSIGN_CONFIGURATION_FILE: folder }))[0]!,
      /cannot be read \(EISDIR\)/,
    );
  });

  test('repeat no secret', () => {
    const secrets = {
      COUNTERSIGN_PASSPHRASE: 'hunter2-passphrase',
      COUNTERSIGN_PRIVATE_KEY: 'hunter2-key',
      COUNTERSIGN_PUBLIC_BASE_URLS: 'https://user:hunter2-password@api.example.com',
      COUNTERSIGN_PORT: 'hunter2-port',
      COUNTERSIGN_NONCE: 'hunter2-nonce',
      COUNTERSIGN_DATABASE_URL: 'https://user:hunter2@host/database',
    };
    const mistakes = mistakesOf(() => loadConfiguration(secrets));
    assert.equal(mistakes.length, 5, 'the passphrase belongs to the command line and is no mistake');
    assert.doesNotMatch(mistakes.join('\n'), /hunter2/);
    const inFile = mistakesOf(() => loadFile('{"privateKey":"hunter2","port":"hunter2", "x": hunter2}'));
    assert.doesNotMatch(inFile.join('\n'), /hunter2/);
  });
});

describe('values', () => {
  test('defaults', () => {
    const configuration = loadConfiguration({});
    assert.equal(configuration.host, '127.0.0.1');
    assert.equal(configuration.port, 8421);
    assert.deepEqual(configuration.publicBaseUrls, ['http://127.0.0.1:8421', 'http://localhost:8421']);
    assert.equal(configuration.problemTypeBase, 'http://127.0.0.1:8421/docs/errors');
    assert.equal(configuration.dataFolder, resolve('data'));
    assert.equal(configuration.bodyBytesMax, 1_048_576);
    assert.deepEqual(configuration.trustedProxies, []);
    assert.equal(configuration.allowPublishedTestKeys, false);
    assert.equal(configuration.demonstration, false);
  });
  test('every default is a value that may be given', () => {
    for (const { environment, default: fallback } of Object.values(settings)) {
      if (fallback !== undefined)
        assert.deepEqual(
          mistakesOf(() => loadConfiguration({ [environment]: fallback })),
          [],
        );
    }
  });
  test('the file before the defaults, the environment before the file', () => {
    const file = {
      port: 9000,
      nonce: 'optional',
      trustedProxies: ['10.0.0.1', '2001:db8::/32'],
      demonstration: true,
    };
    const configuration = loadFile(file, { COUNTERSIGN_PORT: '9001', COUNTERSIGN_DEMONSTRATION: 'no' });
    assert.equal(configuration.port, 9001);
    assert.equal(configuration.nonce, 'optional');
    assert.deepEqual(configuration.trustedProxies, ['10.0.0.1', '2001:db8::/32']);
    assert.equal(configuration.demonstration, false);
    assert.equal(configuration.host, '127.0.0.1');
  });
  test('an empty list in the environment wins over the file too', () => {
    assert.deepEqual(
      loadFile({ trustedProxies: ['10.0.0.1'] }, { COUNTERSIGN_TRUSTED_PROXIES: '' }).trustedProxies,
      [],
    );
  });
  test('other defaults count less than the file', () => {
    const file = join(folder, 'demonstration.json');
    writeFileSync(file, JSON.stringify({ demonstration: false }));
    const others = { demonstration: 'yes', logFile: 'log.jsonl' };
    const configuration = loadConfiguration({ COUNTERSIGN_CONFIGURATION_FILE: file }, others);
    assert.equal(configuration.demonstration, false);
    assert.equal(configuration.logFile, 'log.jsonl');
    assert.equal(loadConfiguration({ COUNTERSIGN_LOG_FILE: '' }, others).logFile, '');
  });
  test('the guard is where all nodes can see it, if there is such a place', () => {
    const database = { COUNTERSIGN_DATABASE_URL: 'postgres://host/database' };
    const redis = { COUNTERSIGN_REDIS_URL: 'redis://host' };
    assert.equal(loadConfiguration({}).guard, 'memory');
    assert.equal(loadConfiguration(database).guard, 'postgres');
    assert.equal(loadConfiguration(redis).guard, 'redis');
    assert.equal(loadConfiguration({ ...database, ...redis }).guard, 'redis');
    assert.equal(loadConfiguration({ ...database, COUNTERSIGN_GUARD: 'memory' }).guard, 'memory');
  });

  test('a URL with a password gives it away only when it is asked to', () => {
    const url = 'postgresql://user:hunter2@host:5433/database?sslmode=verify-full&password=hunter2';
    const configuration = loadConfiguration({ COUNTERSIGN_DATABASE_URL: url });
    const shown = [
      JSON.stringify(configuration),
      inspect(configuration, { depth: 5 }),
      String(configuration.databaseUrl),
    ];
    for (const text of shown) assert.doesNotMatch(text, /hunter2/);
    assert.equal(shown[2], 'postgresql://user:***@host:5433/database');
    assert.equal(configuration.databaseUrl?.reveal(), url);
    assert.equal(
      String(loadConfiguration({ COUNTERSIGN_DATABASE_URL: 'postgresql:///one' }).databaseUrl),
      'postgresql:///one',
    );
  });

  test('lists may have spaces', () => {
    const urls = ' https://api.example.com , http://localhost:8080/base ';
    assert.deepEqual(loadConfiguration({ COUNTERSIGN_PUBLIC_BASE_URLS: urls }).publicBaseUrls, [
      'https://api.example.com',
      'http://localhost:8080/base',
    ]);
  });
  test('base URLs of every kind of host', () => {
    const urls = [
      'http://127.0.0.1:8421',
      'http://[::1]:8421',
      'https://xn--bcher-kva.example',
      'https://api.example.com/v/2',
    ];
    assert.deepEqual(loadConfiguration({ COUNTERSIGN_PUBLIC_BASE_URLS: urls.join() }).publicBaseUrls, urls);
  });
  test('a file that can be read only once, with a document that is named in it', async () => {
    const file = join(folder, 'once.json');
    writeFileSync(file, JSON.stringify({ upstream: 'http://127.0.0.1:9', openapi: openApiFile() }));
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const script = 'cat "$0" > "$1"; rm "$1"';
    const writer = spawn('sh', ['-c', script, file, pipe], { stdio: 'ignore' });
    try {
      const configuration = await loadConfigurationAtStart({ COUNTERSIGN_CONFIGURATION_FILE: pipe });
      assert.equal(configuration.routing?.routes.length, 1);
    } finally {
      writer.kill();
    }
  });
  test('variables of the command line are none of ours', () => {
    const environment = {
      COUNTERSIGN_CLIENT_ID: 'x',
      COUNTERSIGN_PRIVATE_KEY_FILE: 'x',
      COUNTERSIGN_BASE_URL: 'x',
      COUNTERSIGN_PASSPHRASE: 'x',
    };
    assert.deepEqual(
      mistakesOf(() => loadConfiguration(environment)),
      [],
    );
  });
});
