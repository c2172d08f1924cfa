import { readdirSync } from 'node:fs';

/** Returns how many file descriptors this process may open; undefined if there is no such limit (Windows). */
export function descriptorLimit(): number | undefined {
  limit ??= readLimit();
  return Number.isFinite(limit) ? limit : undefined;
}

let limit: number | undefined;

function readLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  // Otherwise the report would look up the names of peers.
  report.excludeNetwork = true;
  try {
    const { userLimits } = report.getReport() as unknown as {
      readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
    };
    const soft = userLimits?.open_files?.soft;
    return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

/**
 * Returns how many descriptors this process has open; undefined if the system does not report it, or if no
 * descriptor is left to find out.
 */
export function openDescriptorCount(): number | undefined {
  try {
    // One of them is the folder's own.
    return readdirSync('/dev/fd').length - 1;
  } catch {
    return undefined;
  }
}
