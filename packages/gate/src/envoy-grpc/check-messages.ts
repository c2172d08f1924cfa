import { create, createFileRegistry, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import type { GenMessage, GenService } from '@bufbuild/protobuf/codegenv2';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  type FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';

/**
 * The fields of `envoy.service.auth.v3.CheckRequest` that are read. Text that a client controls is declared
 * as bytes, which have the same encoding: a protobuf string would hide bytes that are not UTF-8.
 */
export type CheckRequest = Message<'envoy.service.auth.v3.CheckRequest'> & {
  readonly attributes?: {
    /** The client's address, as Envoy's settings determine it. */
    readonly source?: { readonly address?: { readonly socketAddress?: { readonly address: string } } };
    readonly request?: { readonly http?: HttpAttributes };
  };
};

/** An HTTP request as Envoy describes it. */
export interface HttpAttributes {
  readonly method: Uint8Array;
  /** Every name once, so repeated headers are hidden. */
  readonly headers: readonly unknown[];
  /** The target that Envoy forwards, with its query. */
  readonly path: Uint8Array;
  readonly host: Uint8Array;
  readonly protocol: string;
  /** The body as text. Bytes that are not UTF-8 are altered. */
  readonly body: Uint8Array;
  readonly rawBody: Uint8Array;
  /** Header lines one by one, including pseudo-headers, instead of `headers`. */
  readonly headerMap?: {
    readonly headers: readonly { readonly key: string; readonly rawValue: Uint8Array }[];
  };
}

/** The fields of `envoy.service.auth.v3.CheckResponse` that are written. */
export type CheckResponse = Message<'envoy.service.auth.v3.CheckResponse'> & {
  status?: { code: number };
  deniedResponse?: { status: { code: number }; headers: HeaderValueOption[]; body: string };
  okResponse?: {
    headers: HeaderValueOption[];
    headersToRemove: string[];
    responseHeadersToAdd: HeaderValueOption[];
  };
};

/** A header, and what Envoy does if it already exists. */
export interface HeaderValueOption {
  readonly header: { readonly key: string; readonly value: string };
  /** `HeaderAppendAction`. */
  readonly appendAction: number;
}

type Field = readonly [name: string, number: number, type: string];

const packageName = 'envoy.service.auth.v3';

/**
 * The messages on the wire: the name, number and type of each field. Protobuf readers skip fields that are
 * not listed. The numbers are those of Envoy's API, version 3. Messages from other packages are declared in
 * this one, because message names are not on the wire.
 */
const messages: Readonly<Record<string, readonly Field[]>> = {
  CheckRequest: [['attributes', 1, 'AttributeContext']],
  AttributeContext: [
    ['source', 1, 'Peer'],
    ['request', 4, 'Request'],
  ],
  Peer: [['address', 1, 'Address']],
  Address: [['socket_address', 1, 'SocketAddress']],
  SocketAddress: [['address', 2, 'string']],
  Request: [['http', 2, 'HttpRequest']],
  HttpRequest: [
    ['method', 2, 'bytes'],
    ['headers', 3, 'bytes[]'],
    ['path', 4, 'bytes'],
    ['host', 5, 'bytes'],
    ['protocol', 10, 'string'],
    ['body', 11, 'bytes'],
    ['raw_body', 12, 'bytes'],
    ['header_map', 13, 'HeaderMap'],
  ],
  HeaderMap: [['headers', 1, 'RawHeader[]']],
  RawHeader: [
    ['key', 1, 'string'],
    ['raw_value', 3, 'bytes'],
  ],
  CheckResponse: [
    ['status', 1, 'Status'],
    ['denied_response', 2, 'DeniedHttpResponse'],
    ['ok_response', 3, 'OkHttpResponse'],
  ],
  Status: [['code', 1, 'int32']],
  DeniedHttpResponse: [
    ['status', 1, 'HttpStatus'],
    ['headers', 2, 'HeaderValueOption[]'],
    ['body', 3, 'string'],
  ],
  HttpStatus: [['code', 1, 'int32']],
  OkHttpResponse: [
    ['headers', 2, 'HeaderValueOption[]'],
    ['headers_to_remove', 5, 'string[]'],
    ['response_headers_to_add', 6, 'HeaderValueOption[]'],
  ],
  HeaderValueOption: [
    ['header', 1, 'HeaderValue'],
    ['append_action', 3, 'int32'],
  ],
  HeaderValue: [
    ['key', 1, 'string'],
    ['value', 2, 'string'],
  ],
};

const scalars: Readonly<Record<string, Type>> = {
  bytes: Type.BYTES,
  int32: Type.INT32,
  string: Type.STRING,
};

function fieldOf([name, number, type]: Field): MessageInitShape<typeof FieldDescriptorProtoSchema> {
  const single = type.replace('[]', '');
  const scalar = scalars[single];
  return {
    name,
    number,
    label: type === single ? Label.OPTIONAL : Label.REPEATED,
    ...(scalar === undefined
      ? { type: Type.MESSAGE, typeName: `.${packageName}.${single}` }
      : { type: scalar }),
  };
}

const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'external_auth.proto',
    package: packageName,
    syntax: 'proto3',
    messageType: Object.entries(messages).map(([name, fields]) => ({ name, field: fields.map(fieldOf) })),
    service: [
      {
        name: 'Authorization',
        method: [
          {
            name: 'Check',
            inputType: `.${packageName}.CheckRequest`,
            outputType: `.${packageName}.CheckResponse`,
          },
        ],
      },
    ],
  }),
  () => undefined,
);

/** `envoy.service.auth.v3.Authorization`, with the types that the table above describes. */
export const authorization = registry.getService(`${packageName}.Authorization`) as GenService<{
  check: {
    methodKind: 'unary';
    input: GenMessage<CheckRequest>;
    output: GenMessage<CheckResponse>;
  };
}>;
