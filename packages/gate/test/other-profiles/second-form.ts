/** The number of points of P-256 (FIPS 186-5, SP 800-186 section 3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Returns a line of `Signature` with (r, n − s) for (r, s): anyone can compute it, and it verifies too. */
export function secondForm(line: string): string {
  return line.replace(/:(.*):/, (_, text: string) => {
    const bytes = Buffer.from(text, 'base64');
    const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
    return `:${Buffer.concat([bytes.subarray(0, 32), other]).toString('base64')}:`;
  });
}
