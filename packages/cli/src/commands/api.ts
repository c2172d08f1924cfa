import { type Operation, operations } from '@countersign/contract/operations';
import { randomUUID } from 'node:crypto';
import { nearest } from '../arguments/nearest.ts';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { type ExitName, usageError } from '../exits.ts';
import { completeRequest } from '../sending/complete-request.ts';
import { baseUrlOption, findBaseUrl } from '../sending/call-api.ts';
import { readAnswerJson } from '../sending/json-text.ts';
import { ownLoss } from '../sending/own-access.ts';
import { readAllPages } from '../sending/all-pages.ts';
import { type ReceivedAnswer, sendRequest } from '../sending/send-request.ts';
import { answerAsJson, showAnswer } from '../sending/show-answer.ts';
import { credentialNote, credentialOptions, findCredentials } from '../signing/credentials.ts';
import { openSigner } from '../signing/open-signer.ts';
import { buildRequest, requestOptions } from '../signing/outgoing-request.ts';
import { type RequestItem, splitItem } from '../signing/request-items.ts';
import { signRequest } from '../signing/sign-outgoing.ts';
import type { Io } from '../terminal/io.ts';
import { tableLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';

const options = {
  data: requestOptions.data,
  'if-match': {
    type: 'string',
    placeholder: 'ETAG',
    help: "The state you have seen: a response's ETag (see request -v). Default: the current state.",
  },
  'idempotency-key': {
    type: 'string',
    placeholder: 'KEY',
    help: 'Makes retries of create operations safe. Default: a new key for each run.',
  },
  force: {
    type: 'boolean',
    help:
      'Call it even if the client that signs may shut itself out: disableClient, revokeClient and revokeKey of itself, ' +
      'updateClient that leaves it no role, changeClients that lists it and disables it or removes roles. Clients that a ' +
      'filter of changeClients chooses are not looked at.',
  },
  all: { type: 'boolean', help: 'Read all pages of a list as one.' },
  'base-url': baseUrlOption,
  ...credentialOptions,
  nonce: requestOptions.nonce,
} as const satisfies OptionTable;

export const api: Command = defineCommand({
  name: 'api',
  summary: 'Calls a management API operation by name, or lists all operations.',
  arguments: [
    {
      name: 'OPERATION',
      help: "The operation's name, such as listClients. Without it, all are listed.",
      optional: true,
    },
    {
      name: 'ITEM',
      help: 'Parameters and body members, as described below.',
      optional: true,
      isRepeated: true,
    },
  ],
  options,
  notes: [
    'ITEMs are name=text or name:=JSON. Items named in the path fill the path. For operations that read or ' +
      'delete, the others are query parameters; for all other operations, they are members of the JSON body. ' +
      'name==value is always a query parameter. The reference at /docs on the service says what each operation ' +
      'takes.',
    credentialNote,
  ],
  examples: [
    { what: 'what is there?', line: 'countersign api' },
    { what: 'all clients that are active', line: 'countersign api listClients status=active --all' },
    {
      what: 'allow another network',
      line: "countersign api addNetworkEntry clientId=client_… entry=203.0.113.0/24 label='Office 2'",
    },
    {
      what: 'give a client other roles',
      line: `countersign api updateClient clientId=client_… roles:='["payments-operator","key-rotator"]'`,
    },
    {
      what: 'add a role',
      line: `countersign api addRole name=cashier permissions:='["payments:write"]'`,
    },
  ],
  execute,
});

const timeoutSeconds = 30;

async function execute({ values, positionals }: Invocation<typeof options>, io: Io): Promise<ExitName> {
  const [id, ...words] = positionals;
  if (id === undefined) return list(values.json, io);
  const operation = findOperation(id);
  const items = words.map(splitItem);
  const { path, query, body } = sortItems(operation, items);
  const credentials = await findCredentials(values, io);
  const baseUrl = findBaseUrl(values['base-url'], credentials);
  const keyOptions = { passphraseFile: values['passphrase-file'], nonce: values.nonce };
  const signer = await openSigner(credentials, keyOptions, io);
  const call = async (cursor: string | undefined): Promise<[ReceivedAnswer, () => void]> => {
    const more = cursor === undefined ? [] : [`cursor==${cursor}`];
    const outgoing = await buildRequest(
      [operation.method, baseUrl + path, ...query, ...more, ...body],
      { data: values.data, header: conditionsOf(operation, values) },
      undefined,
      io,
    );
    if (!values.force) keepAccess(operation, items, outgoing.body, credentials.clientId);
    const signed = await signRequest(outgoing, signer, io);
    const answer = await sendRequest(completeRequest(signed, outgoing), timeoutSeconds);
    return [answer, () => showAnswer(answer, { signed, fingerprint: signer.fingerprint }, io)];
  };
  const [answer, show] = await call(undefined);
  if (values.all && answer.status === 200) {
    const data = await readAllPages(answer.body, async (cursor) => (await call(cursor))[0]);
    writeJson(io, { ok: true, data });
    return 'ok';
  }
  if (values.json) writeJson(io, answerAsJson(answer));
  else show();
  return answer.status < 400 ? 'ok' : 'refused';
}

/** Throws a CommandError if the signing client might be unable to undo the request. */
function keepAccess(
  { id }: Operation,
  items: readonly RequestItem[],
  body: Uint8Array | undefined,
  clientId: string,
): void {
  const named = items.find(({ name, separator }) => name === 'clientId' && separator === '=')?.value;
  const loss = ownLoss({ operation: id, named, body: body && readAnswerJson(body)?.value, clientId });
  if (loss === undefined) return;
  throw usageError(
    `${id} ${loss} the client that signs it, which may not be able to undo that. Use another client or the portal, or add --force.`,
  );
}

/** Every operation that applications may call. */
export function callableOperations(): readonly Operation[] {
  return Object.values(operations).filter(({ callers }) => callers !== 'people');
}

function list(json: boolean, io: Io): 'ok' {
  const callable = callableOperations();
  if (json) {
    const shown = callable.map(({ id, method, path, permission, summary }) => ({
      id,
      method,
      path,
      permission,
      summary,
    }));
    writeJson(io, { ok: true, operations: shown });
  } else {
    const rows = callable.map(({ id, method, path, summary }) => [id, `${method} ${path}`, summary]);
    io.output.write(tableLines(['OPERATION', 'REQUEST', 'WHAT IT DOES'], rows));
  }
  return 'ok';
}

function findOperation(id: string): Operation {
  const callable = callableOperations();
  const found = callable.find((one) => one.id === id);
  if (found) return found;
  const ids = callable.map((one) => one.id);
  const meant = ids.find((one) => one.toLowerCase() === id.toLowerCase()) ?? nearest(id, ids);
  const advice = meant === undefined ? 'See them all: countersign api' : `Did you mean "${meant}"?`;
  throw usageError(`There is no operation "${id}". ${advice}`);
}

/** Fills the path, and returns the other items in the form that the query and the body need. */
function sortItems(
  { path, method, body }: Operation,
  items: readonly RequestItem[],
): { readonly path: string; readonly query: readonly string[]; readonly body: readonly string[] } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const given = (name: string): readonly RequestItem[] =>
    items.filter((item) => item.name === name && item.separator === '=');
  const missing = names.filter((name) => given(name).length === 0);
  if (missing.length > 0)
    throw usageError(`${missing.join(' and ')} is missing: ${missing.map((name) => `${name}=…`).join(' ')}`);
  const repeated = names.find((name) => given(name).length > 1);
  if (repeated !== undefined)
    throw usageError(
      `${repeated}=… is given ${given(repeated).length} times, but fills one place in the path.`,
    );
  const rest = items.filter(({ name, separator }) => !names.includes(name) || separator !== '=');
  const goesToQuery = ({ separator }: RequestItem): boolean =>
    separator === '==' || (separator === '=' && (method === 'GET' || method === 'DELETE'));
  const valueOf = (name: string): string => given(name)[0]?.value ?? '';
  const bodyItems = rest.filter((item) => !goesToQuery(item));
  if (bodyItems.length > 0 && body === undefined)
    throw usageError(`"${bodyItems[0]!.word}": this operation takes no body.`);
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name))),
    query: rest.filter(goesToQuery).map(({ name, value }) => `${escaped(name)}==${value}`),
    body: bodyItems.map(({ word }) => word),
  };
}

function escaped(name: string): string {
  return name.replace(/[=:@\\]/g, (character) => `\\${character}`);
}

function conditionsOf(
  { ifMatch, takesIdempotencyKey, body }: Operation,
  values: { readonly 'if-match': string | undefined; readonly 'idempotency-key': string | undefined },
): string[] {
  const state = values['if-match'] ?? (ifMatch === 'required' ? '*' : undefined);
  const key = values['idempotency-key'] ?? (takesIdempotencyKey ? randomUUID() : undefined);
  return [
    ...(state === undefined ? [] : [`If-Match: ${state}`]),
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
  ];
}
