/** Returns what was kept on this device under a name; undefined if nothing was, or the browser keeps nothing. */
export function readFromDevice(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepOnDevice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without storage it lasts as long as the page.
  }
}
