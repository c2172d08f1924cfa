/** The path of a page of the service's documents; undefined for everything that is none. */
export function pagePath(page: string): string | undefined {
  return /^\/docs\/[a-z-]+(?:#[a-z_]+)?$/.test(page) ? page : undefined;
}
