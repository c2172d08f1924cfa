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
    rejectsPss: profiles?.some(({ algorithms }) => algorithms.some(isPss)) !== true,
  };
}

function isPss(algorithm: string): boolean {
  return algorithm === 'rsa-pss-sha512' || algorithm === 'PS256';
}
