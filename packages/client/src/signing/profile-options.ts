import { SigningError } from '@countersign/signature';
import { isKeyid } from '@countersign/signature/profile';
import { agentSettings } from './agent-signer.ts';
import type { SignerIdentity } from './options.ts';
import type { ProfileSettings } from './profile-settings.ts';

/**
 * Returns how a signer signs by another profile than the service's own; undefined for an ordinary client.
 *
 * @throws SigningError for options that cannot be used
 */
export function profileSettings(options: SignerIdentity): ProfileSettings | undefined {
  const { clientId, signatureAgent, profile, algorithm, tag, alsoCover = [] } = options;
  if (signatureAgent !== undefined) {
    if (profile !== undefined)
      throw invalid('Set either signatureAgent or profile: an agent signs by web-bot-auth-01.');
    return agentSettings(signatureAgent, clientId);
  }
  if (profile === undefined) {
    if (algorithm === undefined && tag === undefined && options.alsoCover === undefined) return undefined;
    throw invalid('algorithm, tag and alsoCover are for a profile: set profile, or leave them out.');
  }
  if (profile === 'countersign')
    throw invalid('Clients sign by countersign without the option profile, and with Date: leave it out.');
  if (!isKeyid(clientId))
    throw new SigningError(
      'keyid_invalid',
      'The clientId, which becomes the keyid, must be 1 to 256 visible ASCII characters without spaces.',
    );
  if (!Array.isArray(alsoCover) || !alsoCover.every((text) => typeof text === 'string'))
    throw invalid('alsoCover must be a list of components, such as content-digest.');
  return {
    profile,
    keyid: clientId,
    isThumbprint: false,
    algorithm,
    algorithms: undefined,
    keyAdvice: undefined,
    tag,
    ownHeaders: [],
    alsoCover: [...alsoCover],
  };
}

function invalid(message: string): SigningError {
  return new SigningError('request_invalid', message);
}
