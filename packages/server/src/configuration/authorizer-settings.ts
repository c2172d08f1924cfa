import { type AuthorizerProtocolName, authorizerProtocols, type UnseenBody } from '@countersign/gate';
import { z } from 'zod';
import { table } from './routing-settings.ts';

/** An authorizer's settings. */
export interface AuthorizerInput {
  /** Addresses and networks of the proxies that may query it. */
  readonly from: readonly string[];
  /** How to treat a request whose body the proxy does not send along; `refuse` unless set. */
  readonly body?: UnseenBody | undefined;
}

/** The authorizer that Envoy queries over gRPC, on its own port. All others use HTTP. */
export const grpcAuthorizer = 'envoy-grpc';

type AuthorizerName = AuthorizerProtocolName | typeof grpcAuthorizer;

/** Authorizers by their protocols. */
export type AuthorizersInput = Readonly<Partial<Record<AuthorizerName, AuthorizerInput>>>;

/** Returns true if an authorizer's protocol is based on HTTP. */
export function isHttpAuthorizer(name: string): name is AuthorizerProtocolName {
  return name !== grpcAuthorizer;
}

const names = [...(Object.keys(authorizerProtocols) as AuthorizerProtocolName[]), grpcAuthorizer];
const choices: readonly UnseenBody[] = ['refuse', 'digest', 'unchecked'];

/**
 * Reads the table of authorizers.
 *
 * @param networks reads the addresses of proxies
 */
export function authorizersIn(networks: z.ZodType<readonly string[]>): z.ZodType<AuthorizersInput> {
  const authorizer = z.strictObject(
    {
      from: networks.refine((list) => list.length > 0, { error: 'must name at least one address' }),
      body: z.enum(choices, { error: `must be one of: ${choices.join(', ')}` }).optional(),
    },
    { error: 'must be an object with "from", the addresses of the proxies that may query it' },
  );
  const error = `must be an object with these protocols as keys: ${names.join(', ')}`;
  return table(z.partialRecord(z.enum(names), authorizer, { error }));
}
