import { keyOf, clientIdOf, clientNameOf } from '../account.ts';
import { type Job, type Slip, slip } from './slips.ts';

const otherClient = (job: Job): 'backoffice' | 'webshop' =>
  job.clientId === clientIdOf('webshop') ? 'backoffice' : 'webshop';
const clockBy = (seconds: number) => (job: Job) => void (job.clock += seconds);

/** Wrong settings in correct code. Every maker can make them. */
export const settingSlips: readonly Slip[] = [
  slip(
    'key_of_colleague',
    'signs with the private key of another client of the account',
    'key_of_other_client',
    'python:list java:pay php:list node:order shell:list',
    { or: 'keyid_of_other_client', change: (job) => void (job.key = keyOf(otherClient(job))) },
  ),
  slip(
    'clientid_of_colleague',
    'sends the clientId of another client of the account',
    'keyid_of_other_client',
    'python:pay java:list php:order node:list shell:saved',
    { or: 'key_of_other_client', change: (job) => void (job.clientId = clientIdOf(otherClient(job))) },
  ),
  slip(
    'revoked_key',
    'signs with a key that was revoked',
    'key_revoked',
    'python:list java:pay php:page node:list shell:saved',
    {
      change: (job) => void (job.key = 'revoked'),
    },
  ),
  slip(
    'retired_key',
    'signs with the key of before the rollover',
    'key_retired',
    'python:pay java:list php:list node:page shell:list',
    {
      change: (job) => void (job.key = 'retired'),
    },
  ),
  slip(
    'sandbox_key',
    'signs with the key of the sandbox',
    'key_of_other_environment',
    'python:list java:order php:pay node:read shell:list',
    { also: 'key_of_other_client keyid_of_other_client', change: (job) => void (job.key = 'sandbox') },
  ),
  slip(
    'new_key',
    'signs with a key that was never registered',
    'key_unknown',
    'python:list java:pay php:list node:list shell:saved',
    {
      change: (job) => void (job.key = 'stranger-2048'),
    },
  ),
  slip(
    'new_long_key',
    'signs with a key of another size that was never registered',
    'key_unknown',
    'python:pay node:page shell:list',
    {
      change: (job) => void (job.key = 'stranger-4096'),
    },
  ),
  slip(
    'clientid_typed',
    'sends a clientId with two letters exchanged',
    'keyid_unknown',
    'python:list java:pay php:page shell:list',
    {
      change: (job) => void (job.clientId = job.clientId.replace(/(.)(.)$/, '$2$1')),
    },
  ),
  slip('clientid_cut', 'sends a clientId without its last letter', 'keyid_unknown', 'node:pay java:read', {
    change: (job) => void (job.clientId = job.clientId.slice(0, -1)),
  }),
  slip('clientid_of_example', 'sends the clientId of an example', 'keyid_unknown', 'php:list node:list', {
    change: (job) => void (job.clientId = 'my-client-id'),
  }),
  slip(
    'client_name',
    'sends the name of the client for its clientId',
    'keyid_is_name',
    'python:list java:list php:pay node:order shell:saved',
    {
      also: 'keyid_unknown',
      change: (job) => void (job.clientId = clientNameOf(job.clientId)),
    },
  ),
  slip('slow_clock', 'has a clock that is 14 minutes slow', 'clock_off', 'python:list java:pay php:list', {
    change: clockBy(-847),
  }),
  slip('fast_clock', 'has a clock that is 100 seconds fast', 'clock_off', 'node:page shell:list', {
    change: clockBy(101),
  }),
  slip('clock_of_last_year', 'has a clock that is 40 days slow', 'clock_off', 'python:pay shell:saved', {
    change: clockBy(-40 * 86_400 - 5),
  }),
  slip(
    'local_clock',
    'has a clock that shows local time for UTC',
    'clock_time_zone',
    'python:page java:read php:order node:pay',
    {
      also: 'clock_off',
      change: clockBy(2 * 3600),
    },
  ),
  slip(
    'local_clock_of_india',
    'has a clock that shows the time of India for UTC',
    'clock_time_zone',
    'python:list node:list',
    {
      also: 'clock_off',
      change: clockBy(19_800),
    },
  ),
];

/** Mistakes that happen between a correct client and the service. */
export const waySlips: readonly Slip[] = [
  slip(
    'proxy_strips_date',
    'goes through a proxy that strips the Date header',
    'header_stripped',
    'python:list node:pay',
    {
      or: 'header_missing',
      way: (wire) => strip(wire, 'date'),
    },
  ),
  slip(
    'proxy_strips_digest',
    'goes through a proxy that strips the Content-Digest header',
    'header_stripped',
    'java:pay php:order',
    {
      or: 'header_missing',
      way: (wire) => strip(wire, 'content-digest'),
    },
  ),
  slip(
    'proxy_strips_signature',
    'goes through a proxy that strips the Signature header',
    'header_stripped',
    'python:pay shell:list',
    {
      or: 'header_missing',
      way: (wire) => strip(wire, 'signature'),
    },
  ),
  slip(
    'proxy_strips_input',
    'goes through a proxy that strips the Signature-Input header',
    'header_stripped',
    'java:list node:list',
    {
      or: 'header_missing',
      way: (wire) => strip(wire, 'signature-input'),
    },
  ),
  slip(
    'proxy_renews_date',
    'goes through a proxy that writes its own Date header',
    'base_other_date',
    'python:list java:order',
    {
      or: 'date_read_twice',
      way: (wire) => replaceDate(wire, 4),
    },
  ),
  slip(
    'proxy_strips_prefix',
    'calls a path of which the ingress strips the prefix /gateway',
    'url_path_prefix',
    'python:page node:pay',
    {
      change: (job) => void (job.url = job.url.replace('/v1/', '/gateway/v1/')),
      way: (wire) => void (wire.target = wire.target.replace('/gateway/', '/')),
    },
  ),
  slip(
    'proxy_merges_slashes',
    'calls a path with two slashes, which its proxy makes one',
    'url_double_slash',
    'python:list node:page',
    {
      change: (job) => void (job.url = job.url.replace('/v1/', '/v1//')),
      way: (wire) => void (wire.target = wire.target.replace('//', '/')),
    },
  ),
  slip(
    'proxy_decodes_path',
    'goes through a proxy that writes the percent-encoding in small letters',
    'url_path_encoding',
    'python:city java:city',
    {
      way: (wire) => void (wire.target = wire.target.replace(/%[0-9A-F]{2}/g, (text) => text.toLowerCase())),
    },
  ),
  slip(
    'proxy_sorts_query',
    'goes through a cache that sorts the query',
    'url_query_order',
    'php:page node:search',
    {
      way: (wire) => {
        const [path, query] = wire.target.split('?');
        wire.target = `${path}?${query!.split('&').toSorted().join('&')}`;
      },
    },
  ),
  slip('proxy_drops_query', 'goes through a proxy that drops the query', 'base_unrecognised', 'python:page', {
    way: (wire) => void (wire.target = wire.target.split('?')[0]!),
  }),
  slip(
    'cache_makes_get',
    'goes through a cache that makes GET of HEAD',
    'method_head_as_get',
    'python:head node:head',
    {
      also: 'method_other',
      way: (wire) => void (wire.method = 'GET'),
    },
  ),
  slip(
    'gateway_formats_json',
    'goes through a gateway that formats the JSON',
    'body_json_whitespace',
    'python:pay php:order',
    {
      way: (wire) => replaceBody(wire, JSON.stringify(JSON.parse(wire.body.toString('utf8')), null, 2)),
    },
  ),
  slip('mail_gateway', 'goes through a gateway that makes CRLF of line ends', 'body_line_ends', 'node:note', {
    way: (wire) => replaceBody(wire, wire.body.toString('utf8').replaceAll('\n', '\r\n')),
  }),
  slip('body_cut', 'goes through a proxy that drops the body', 'body_missing', 'java:pay php:pay', {
    or: 'body_empty',
    way: (wire) => replaceBody(wire, ''),
  }),
  slip(
    'retried',
    'is sent again by a proxy that had no answer',
    'request_replayed',
    'python:pay java:list php:order node:cancel shell:saved',
    {
      isReplay: true,
    },
  ),
];

function strip(wire: { headers: [string, string][] }, name: string): void {
  wire.headers = wire.headers.filter(([one]) => one.toLowerCase() !== name);
}

function replaceDate(wire: { headers: [string, string][] }, bySeconds: number): void {
  wire.headers = wire.headers.map(([name, value]) => [
    name,
    name.toLowerCase() === 'date' ? new Date(Date.parse(value) + bySeconds * 1000).toUTCString() : value,
  ]);
}

function replaceBody(wire: { headers: [string, string][]; body: Buffer }, text: string): void {
  wire.body = Buffer.from(text);
  wire.headers = wire.headers.map(([name, value]) => [
    name,
    name.toLowerCase() === 'content-length' ? String(wire.body.length) : value,
  ]);
}
