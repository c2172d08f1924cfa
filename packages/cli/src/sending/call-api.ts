import { CommandError, usageError } from '../exits.ts';
import { findCredentials, type CredentialValues } from '../signing/credentials.ts';
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
  /** Reads a page of a list or another answer. Throws a CommandError that explains a refusal. */
  read<Body>(path: string, query: Readonly<Record<string, string | undefined>>): Promise<Body>;
}

/** The options that name the service and who signs. */
export interface ApiValues extends CredentialValues {
  readonly 'base-url': string | undefined;
  readonly 'passphrase-file': string | undefined;
  readonly nonce: boolean;
}

/** Opens the management API with the credentials of a command line. */
export async function openManagementApi(values: ApiValues, io: Io): Promise<ManagementApi> {
  const credentials = await findCredentials(values, io);
  const baseUrl = values['base-url'] ?? credentials.baseUrl;
  if (baseUrl === undefined) {
    throw usageError(
      'Where is the service? Give --base-url, or a baseUrl: in the credentials file, or as COUNTERSIGN_BASE_URL.',
    );
  }
  const signer = await openSigner(
    credentials,
    { passphraseFile: values['passphrase-file'], nonce: values.nonce },
    io,
  );
  return {
    clientId: credentials.clientId,
    async read<Body>(path: string, query: Readonly<Record<string, string | undefined>>) {
      const url = `${baseUrl.replace(/\/+$/, '')}${path}${queryText(query)}`;
      const outgoing = await buildRequest(['GET', url], { data: undefined, header: [] }, undefined, io);
      const signed = await signRequest(outgoing, signer, io);
      const answer = await sendRequest(completeRequest(signed, outgoing), timeoutSeconds);
      const problem = explainProblem(answer, { signed, fingerprint: signer.fingerprint });
      if (problem !== undefined) {
        const code = textMember(readAnswerJson(answer.body)?.value, 'code') ?? 'refused';
        throw new CommandError('refused', code, `The service refused the request.\n${problem.trimEnd()}`);
      }
      if (answer.status !== 200) throw notTheService(url, `status ${answer.status}`);
      return parsed(answer.body, url) as Body;
    },
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
