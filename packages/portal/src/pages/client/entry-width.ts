/** Whether an entry in its canonical text lets in every address, or every address of one family. */
export function isEveryone(entry: string): boolean {
  return entry === '0.0.0.0' || entry === '0.0.0.0/0' || entry === '::/0';
}
