import type { TestContext } from 'node:test';
import type { Signer } from '@countersign/signature/node';
import { apiBaseUrl } from '../service/running-service.ts';
import type { Logger } from 'pino';
import { type ProtectedApi, type ProtectedApiOptions, openProtectedApi } from '../service/protected-api.ts';
import { type Recipe, type RunningProxy, startProxy } from './proxy-process.ts';
import { exchange, type WireAnswer, type WireOptions } from './wire.ts';

/** An API behind a proxy that asks a running service. The service's own gateway leads to the same API. */
export interface ProxiedApi extends ProtectedApi {
  readonly proxy: RunningProxy;
  /** Signs a request, and sends it to the proxy from 127.0.0.2. */
  ask(method: string, path: string, options?: AskOptions): Promise<WireAnswer>;
}

export interface AskOptions extends WireOptions {
  /** The signed body, also sent unless `sentBody` says otherwise. */
  readonly body?: string | Uint8Array;
  /** The bytes after the head, for a body in chunks; its length is not announced then. */
  readonly sentBody?: string;
  /** The path that is sent instead of the signed one. */
  readonly target?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly signer?: Signer;
  readonly isSigned?: boolean;
  /** The port of another proxy. */
  readonly port?: number;
}

/** Every protocol that the recipes use, for proxies on this machine. */
export function authorizersOf(body: 'refuse' | 'digest' | 'unchecked'): string {
  const entry = { from: ['127.0.0.1'], body };
  return JSON.stringify({
    nginx: entry,
    'nginx-njs': entry,
    caddy: entry,
    haproxy: entry,
    traefik: entry,
    envoy: entry,
    'envoy-grpc': entry,
  });
}

/** Routes that forward every path, however servers read it. */
export const everyPath = JSON.stringify([{ path: '/**', permission: 'api', ambiguousPaths: 'forward' }]);

export interface ProxiedApiOptions extends ProtectedApiOptions {
  readonly body?: 'refuse' | 'digest' | 'unchecked';
  readonly logger?: Logger;
  /** Changes the files of the recipe. */
  readonly change?: (text: string) => string;
}

/** Starts an upstream, a service and a proxy before them. All are stopped when the test ends. */
export async function openProxiedApi(
  t: Pick<TestContext, 'after'>,
  recipe: Recipe,
  { body = 'refuse', change, environment, ...options }: ProxiedApiOptions = {},
): Promise<ProxiedApi> {
  const api = await openProtectedApi(t, {
    ...options,
    environment: {
      COUNTERSIGN_AUTHORIZERS: authorizersOf(body),
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
      COUNTERSIGN_ROUTES: everyPath,
      ...environment,
    },
  });
  const { authorizerAddress, authorizerGrpcAddress, apiAddress } = api.running.service;
  const ports = {
    3000: Number(new URL(api.address).port),
    8422: Number(new URL(apiAddress!).port),
    8423: Number(new URL(authorizerAddress!).port),
    8424: Number(new URL(authorizerGrpcAddress!).port),
  };
  const proxy = await startProxy(recipe, ports, change);
  t.after(() => proxy.stop());
  return {
    ...api,
    proxy,
    ask(
      method,
      path,
      {
        body: signedBody,
        sentBody,
        target = path,
        headers = [],
        signer = api.signer,
        isSigned = true,
        port = proxy.port,
        ...wire
      } = {},
    ) {
      const signed: Record<string, string> = isSigned
        ? { ...signer.sign({ method, url: apiBaseUrl + path, body: signedBody }).headers }
        : {};
      const bytes = sentBody ?? signedBody;
      const isMeasured = sentBody === undefined && signedBody !== undefined;
      const length = isMeasured ? [['Content-Length', String(Buffer.from(signedBody).length)] as const] : [];
      const host = ['Host', new URL(apiBaseUrl).host] as const;
      return exchange(
        port,
        { method, target, headers: [host, ...Object.entries(signed), ...length, ...headers], body: bytes },
        { isTls: recipe.name === 'apache', ...wire },
      );
    },
  };
}
