import { readdirSync } from 'node:fs';

/** Returns how many file descriptors this process may have open; undefined where there is no such limit (Windows). */
export function descriptorLimit(): number | undefined {
  limit ??= readLimit();
  return Number.isFinite(limit) ? limit : undefined;
}

let limit: number | undefined;

function readLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  // Names of peers would be looked up otherwise.
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

/** Returns how many this process has open now; undefined where the system does not say, or when none is left to ask. */
export function openDescriptorCount(): number | undefined {
  try {
    // One of them is that of the folder itself.
    return readdirSync('/dev/fd').length - 1;
  } catch {
    return undefined;
  }
}
