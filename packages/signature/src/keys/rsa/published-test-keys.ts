import { hexadecimal } from '../unsigned.ts';

/**
 * Names the publication of a test key whose private half anyone can look up; undefined for other keys. Such
 * keys are published so that they can be recognized (RFC 9500 section 1). Keys that are rejected for their
 * size or exponent are not listed.
 */
export function publishedTestKeyName(modulus: Uint8Array): string | undefined {
  return publishedTestKeys.get(hexadecimal(modulus.subarray(0, 32)));
}

/** Indexed by the first 256 bits of the modulus, which no two keys share by chance. */
const publishedTestKeys: ReadonlyMap<string, string> = new Map([
  ['84029876da1ea32f33700711f3be0bf1c9d9c4acc01b077bbf7e803e9ecfbfa4', 'RFC 9421 appendix B.1.1'],
  ['af8b669b7af6d1677f3dbaaf3f5b36f9012dbe9b91695f18ab8d208d447ccb64', 'RFC 9421 appendix B.1.2'],
  ['b0f9e81943a7ae9892aade17ca7c40f8744fed2f8148e6c8eaa27b7d001548fb', 'RFC 9500 section 2.1'],
  ['a1f8160ae2e3c9b465ce8d2d656263362b927dbe29e1f02477fc1625cc90a136', 'RFC 7515 appendix A.2'],
  ['d2fc7b6a0a1e6c67104aeb8f88b257669b4df679ddad099b5c4a6cd9a88015b5', 'RFC 7517 appendix A'],
  ['9f810fb4038273d02591e4073f31d2b6001b82cedb4d92f050165d47cfcab8a3', 'RFC 7520 section 3'],
  ['bb5494d4b7d52cf1c2a333311f6328e2580e11e3f3366d2d46078b7b357a7df0', 'the RS256 example of jwt.io'],
  ['9f3ca2b356637cd0746c180a14c4afbe44edc25bc1b1a26aed2e7003e9337953', 'the earlier RS256 example of jwt.io'],
  ['a2b451a07d0aa5f96e455671513550514a8a5b462ebef717094fa1fee82224e6', 'Wycheproof, 2048 bits'],
  ['bd31c7a02691d2d9587ef6a946ff788544ccadd4b2988ad62086792a6bf96c86', 'Wycheproof, 2048 bits'],
  ['c2c4a860236d3c9096a076d6ba5107e0f7bd81e1ba916f7375724bd2b0b0b639', 'Wycheproof, 2048 bits'],
  ['c32cd0e1441fde8a2896ca3a133735be2d1010777cfc739afc77b6daa66f367d', 'Wycheproof, 2048 bits'],
  ['cda6fa5ca76bfe0492ec57e0a3bfff7272dc8d1e25ad1fb338aa050f02c104e6', 'Wycheproof, 2048 bits'],
  ['a07887f373378196b0b748cdf31c14735ccfa0f117acafdaa21fde4b6e755939', 'Wycheproof, 3072 bits'],
  ['c6fe23792566023c265287c5ac6f71541c0994d11d059ee6403986efa21c24b5', 'Wycheproof, 3072 bits'],
  ['fae12363cc51e266de7d74b989085f10fc08f44363fab4ea7fcc56101d116616', 'Wycheproof, 3072 bits'],
  ['956353ecb7561945dc5544e4602466078c93f28507701ffd39e2a9813c8ac874', 'Wycheproof, 4096 bits'],
  ['c9a765c2661b4674cff3480e9a5e462ad0ad2fc9bc6fbef62847b3113d20991f', 'Wycheproof, 4096 bits'],
  ['e3ae7de5bf44de7d357e238c8dff063ca713470777ab786b495884e7a9ba1dde', 'Wycheproof, 4096 bits'],
  ['dced8ed038581210fe2ccadbaa0728450b2bbb2066ca51ad97c2c1e53839dfd9', 'Wycheproof, 8192 bits'],
]);
