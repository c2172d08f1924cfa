/** Returns what a permission allows. The service says it too, in English. */
export function permissionWords(_name: string, summary: string): string {
  return summary;
}
