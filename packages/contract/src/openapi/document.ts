/** A JSON Schema (draft 2020-12), limited to what this API uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** A pointer to a component, `#/components/...`. */
export interface Reference {
  readonly $ref: string;
}

/** A parameter of a path, a query or the header section. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string;
}

/** A header field of a response. */
export interface OpenApiHeader {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A body in one of several media types. */
export type OpenApiContent = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>
>;

/** The response with one status. */
export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content: OpenApiContent;
}

/** One operation. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** How a caller authenticates, if it differs from most operations. */
  readonly security?: OpenApiDocument['security'];
  /** The permission that a role of the caller must hold; null when every caller may. */
  readonly 'x-permission': string | null;
  /** The permission that is sufficient if the path names the caller itself. */
  readonly 'x-permission-on-itself'?: string;
  readonly parameters?: readonly (OpenApiParameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  /** Responses by status. */
  readonly responses: Readonly<Record<string, OpenApiResponse | Reference>>;
}

/** A way for a caller to authenticate. */
export interface OpenApiSecurityScheme {
  readonly type: 'apiKey';
  readonly in: 'header' | 'cookie';
  readonly name: string;
  readonly description: string;
}

/** An OpenAPI 3.1 document, limited to what this API uses. */
export interface OpenApiDocument {
  readonly openapi: string;
  /** The dialect of every schema in it. */
  readonly jsonSchemaDialect: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, OpenApiParameter>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
    readonly securitySchemes: Readonly<Record<string, OpenApiSecurityScheme>>;
  };
}
