import type { Page } from '@countersign/contract';
import { CommandError, usageError } from '../exits.ts';
import { type Credentials, type CredentialValues, findCredentials } from '../signing/credentials.ts';
import type { OpenSigner } from '../signing/key-source.ts';
import { openSigner } from '../signing/open-signer.ts';
import { buildRequest } from '../signing/outgoing-request.ts';
import { signRequest } from '../signing/sign-outgoing.ts';
import type { Io } from '../terminal/io.ts';
import { completeRequest } from './complete-request.ts';
import { explainProblem } from './explain-problem.ts';
import { readAnswerJson, textMember } from './json-text.ts';
import { sendRequest } from './send-request.ts';

/** The management API, called by signed requests. */
export interface ManagementApi {
  /** The client that signs. */
  readonly clientId: string;
  /** Reads a page of a list or another resource. Throws a CommandError that explains a rejection. */
  read<Body>(path: string, query: Readonly<Record<string, string | undefined>>): Promise<Body>;
  /** Does the same for a page of a list. */
  readPage<Item>(path: string, query: Readonly<Record<string, string | undefined>>): Promise<Page<Item>>;
  /**
   * Changes something, with a JSON body unless it is undefined. Throws a CommandError that explains a rejection.
   *
   * @param headers lines such as `If-Match: *`
   * @param stopped ends the call when it aborts, whether or not the service has done it
   */
  change<Body>(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body: object | undefined,
    headers?: readonly string[],
    stopped?: AbortSignal,
  ): Promise<Body>;
}

/** The options that name the service and the signer. */
export interface ApiValues extends CredentialValues {
  readonly 'base-url': string | undefined;
  readonly 'passphrase-file': string | undefined;
  readonly nonce: boolean;
}

export const baseUrlOption = {
  type: 'string',
  placeholder: 'URL',
  help: "The service's base URL. Default: the credentials' baseUrl.",
} as const;

/** Opens the management API with the credentials of a command line. */
export async function openManagementApi(values: ApiValues, io: Io): Promise<ManagementApi> {
  const credentials = await findCredentials(values, io);
  const baseUrl = findBaseUrl(values['base-url'], credentials);
  const options = { passphraseFile: values['passphrase-file'], nonce: values.nonce };
  return managementApi(baseUrl, await openSigner(credentials, options, io), io);
}

/** Throws a usage error if neither the command line nor the credentials name the service. */
export function findBaseUrl(given: string | undefined, credentials: Credentials): string {
  const baseUrl = given ?? credentials.baseUrl;
  if (baseUrl !== undefined) return baseUrl.replace(/\/+$/, '');
  throw usageError(
    "The service's URL is missing: pass --base-url, or set baseUrl in the credentials file or COUNTERSIGN_BASE_URL.",
  );
}

/** The management API at a base URL, called by a signer. */
export function managementApi(baseUrl: string, signer: OpenSigner, io: Io): ManagementApi {
  const call = async (
    method: string,
    path: string,
    body: string | undefined,
    header: readonly string[] = [],
    stopped?: AbortSignal,
  ): Promise<unknown> => {
    const url = `${baseUrl}${path}`;
    const outgoing = await buildRequest([method, url], { data: body, header }, undefined, io);
    const signed = await signRequest(outgoing, signer, io);
    const answer = await sendRequest(completeRequest(signed, outgoing), timeoutSeconds, { stopped });
    const problem = explainProblem(answer, { signed, fingerprint: signer.fingerprint });
    if (problem !== undefined) {
      const code = textMember(readAnswerJson(answer.body)?.value, 'code') ?? 'refused';
      throw new CommandError('refused', code, `The service rejected the request.\n${problem.trimEnd()}`);
    }
    if (answer.status !== 200 && answer.status !== 201) throw notTheService(url, `status ${answer.status}`);
    return parsed(answer.body, url);
  };
  /**
   * Another signer of the same client may have sent an equal request in the same second. Repeating it changes
   * nothing.
   */
  const read = async (path: string): Promise<unknown> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call('GET', path, undefined);
      } catch (error) {
        if (tries === 5 || !(error instanceof CommandError) || error.code !== 'signature_replayed')
          throw error;
      }
    }
  };
  return {
    clientId: signer.signer.keyid,
    read: async <Body>(path: string, query: Readonly<Record<string, string | undefined>>) =>
      (await read(`${path}${queryText(query)}`)) as Body,
    async readPage<Item>(
      path: string,
      query: Readonly<Record<string, string | undefined>>,
    ): Promise<Page<Item>> {
      const page = (await read(`${path}${queryText(query)}`)) as Partial<Page<Item>> | null;
      const { data, nextCursor = null } = page ?? {};
      if (Array.isArray(data)) return { data, nextCursor };
      throw notTheService(`${baseUrl}${path}`, 'JSON that is no list');
    },
    change: async <Body>(
      method: string,
      path: string,
      body: object | undefined,
      headers?: readonly string[],
      stopped?: AbortSignal,
    ) => (await call(method, path, body && JSON.stringify(body), headers, stopped)) as Body,
  };
}

const timeoutSeconds = 30;

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function parsed(body: Buffer, url: string): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw notTheService(url, 'something that is not JSON');
  }
}

function notTheService(url: string, what: string): CommandError {
  return new CommandError(
    'unreachable',
    'answer_invalid',
    `${new URL(url).host} answered with ${what}. Is it the console of the service, and not the protected API (--base-url)?`,
  );
}
