import { isSigningAlgorithm } from '@countersign/contract/signing-algorithms';
import { useApiQuery } from '../../api/queries.ts';

/** Returns the algorithms of a profile, and whether any profile of this service signs with RSASSA-PSS. */
export function useProfileAlgorithms(profile: string): {
  /** Undefined for a profile that the service does not accept, and until it is known. */
  readonly allowed: readonly string[] | undefined;
  readonly rejectsPss: boolean;
} {
  const profiles = useApiQuery('listProfiles').data?.data;
  return {
    allowed: profiles?.find(({ name }) => name === profile)?.algorithms,
    rejectsPss: profiles?.every(({ algorithms }) => algorithms.every(isSigningAlgorithm)) ?? true,
  };
}
