import type { RequestToExplain } from '../explanation.ts';

/** Returns the names of the headers that show a proxy between caller and service. */
export function proxyHeaders({ headers }: RequestToExplain): readonly string[] {
  const names = headers.map(([name]) => name).filter((name) => proxyHeader.test(name));
  return [...new Set(names)].slice(0, namesMax);
}

const proxyHeader =
  /^(?:via|forwarded|x-forwarded-[a-z-]{1,20}|x-real-ip|x-varnish|x-original-(?:uri|url|host)|x-envoy-[a-z-]{1,40})$/i;
const namesMax = 3;
