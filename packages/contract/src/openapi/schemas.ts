import { z } from 'zod';
import { operationSchemas } from '../operation-schemas.ts';
import type { OperationId } from '../operations.ts';
import type { JsonSchema } from './document.ts';
import { memberTexts } from './member-texts.ts';
import { problemSchemas } from './problem-schema.ts';

/** A pointer to a schema of the document. */
export function schemaReference(name: string): JsonSchema {
  return { $ref: `${schemaPlace}${name}` };
}

/** The name of the schema that an operation answers with. */
export function answerName(id: OperationId): string {
  return nameOf(answerNames, operationSchemas[id].answer, id);
}

/** The name of the schema of an operation's body; undefined when it takes none. */
export function bodyName(id: OperationId): string | undefined {
  const { body } = operationSchemas[id];
  return body === undefined ? undefined : nameOf(bodyNames, body, id);
}

/** Every schema of the document by its name, made of those that validate. */
export function componentSchemas(): Record<string, JsonSchema> {
  const schemas = { ...convert(answerNames, 'output'), ...convert(bodyNames, 'input') };
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = described(name, schema);
  Object.assign(schemas, problemSchemas);
  return Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The JSON Schema of the text of a parameter. */
export function parameterSchema(schema: z.ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input', override: simplify }) as ConvertedSchema);
}

const schemaPlace = '#/components/schemas/';

type ConvertedSchema = JsonSchema & { readonly $schema?: string; readonly $id?: string };
type Names = ReadonlyMap<z.ZodType, string>;

// The names are what generated programs call their types: they stay. Operations that share a schema share its name.
const answerNames: Names = new Map(
  namesOf({
    getWhoami: 'Whoami',
    testSignature: 'SignatureTest',
    createPayment: 'Payment',
    listPayments: 'PaymentPage',
    getClient: 'Client',
    listClients: 'ClientPage',
    getNetworkWhitelist: 'NetworkWhitelist',
    testNetworkAddress: 'NetworkAddressTest',
    getKey: 'Key',
    listKeys: 'KeyPage',
    getKeyRenewalInfo: 'KeyRenewalInfo',
    inspectKey: 'KeyInspection',
    getRole: 'Role',
    listRoles: 'RolePage',
    listPermissions: 'PermissionPage',
    getRequest: 'RequestEntry',
    getRequestExplanation: 'RequestExplanation',
    listRequests: 'RequestPage',
    getRequestStatistics: 'RequestStatistics',
    listRequestFailures: 'RequestFailures',
    listRefusedAddresses: 'RefusedAddresses',
    getChecklist: 'Checklist',
    streamEvents: 'LiveEvent',
    getSource: 'Source',
    getAuditEvent: 'AuditEvent',
    listAuditEvents: 'AuditEventPage',
    getAccount: 'Account',
    listAccounts: 'AccountPage',
    getServiceHealth: 'ServiceHealth',
    changeMember: 'Member',
    listMembers: 'MemberPage',
    revokeInvitation: 'Invitation',
    listInvitations: 'InvitationPage',
    getSecurityPolicy: 'SecurityPolicy',
    endActing: 'Acting',
  }).map(([id, name]) => [operationSchemas[id].answer, name]),
);
const bodyNames: Names = new Map(
  namesOf({
    createPayment: 'PaymentRequest',
    addClient: 'ClientRequest',
    updateClient: 'ClientChange',
    addNetworkEntry: 'NetworkEntryRequest',
    replaceNetworkWhitelist: 'NetworkWhitelistRequest',
    addKey: 'KeyRequest',
    retireKey: 'KeyRetirement',
    extendKey: 'KeyExtension',
    revokeKey: 'KeyRevocation',
    inspectKey: 'KeyInspectionRequest',
    addRole: 'RoleRequest',
    updateRole: 'RoleChange',
    addAccount: 'AccountRequest',
    updateAccount: 'AccountChange',
    changeMember: 'MemberChange',
    inviteMember: 'InvitationRequest',
    updateSecurityPolicy: 'SecurityPolicyChange',
    startActing: 'ActingRequest',
    explainRequest: 'ExplanationRequest',
    testSignatureByPost: 'SignatureTestBody',
  }).flatMap(([id, name]) => {
    const { body } = operationSchemas[id];
    return body === undefined ? [] : [[body, name] as const];
  }),
);

function namesOf(names: Readonly<Partial<Record<OperationId, string>>>): [OperationId, string][] {
  return Object.entries(names) as [OperationId, string][];
}

function nameOf(names: Names, schema: z.ZodType, id: OperationId): string {
  const name = names.get(schema);
  if (name === undefined) throw new Error(`A schema of ${id} has no name in the OpenAPI document.`);
  return name;
}

function convert(names: Names, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `${schemaPlace}${id}`,
    override: io === 'output' ? open : simplify,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, plain(schema as ConvertedSchema)]),
  );
}

/** Within `/v1` an answer may get more members: who reads it must not refuse them. */
function open(context: Conversion): void {
  simplify(context);
  if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties;
}

interface Conversion {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

function simplify({ jsonSchema }: Conversion): void {
  // The format says the same, and can be read.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // What every integer of JavaScript is within.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Without what only a schema that stands alone has. */
function plain({ $schema: _dialect, $id: _id, ...schema }: ConvertedSchema): JsonSchema {
  return schema;
}

/** With the text of each member, and of the members in it. */
function described(name: string, schema: JsonSchema): JsonSchema {
  const texts: Readonly<Record<string, string>> = memberTexts[name] ?? {};
  const withTexts = (part: JsonSchema, place: string): JsonSchema => {
    const text = texts[place];
    return {
      ...part,
      ...(text !== undefined && { description: text }),
      ...(part.properties && {
        properties: Object.fromEntries(
          Object.entries(part.properties).map(([member, inner]) => [
            member,
            withTexts(inner, place === '' ? member : `${place}.${member}`),
          ]),
        ),
      }),
      ...(part.items && { items: withTexts(part.items, `${place}[]`) }),
      ...(part.oneOf && { oneOf: part.oneOf.map((one) => withTexts(one, place)) }),
    };
  };
  return withTexts(schema, '');
}
