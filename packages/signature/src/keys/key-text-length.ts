/** The most characters that are read of a text offered as a key. The longest accepted key, even as a certificate, is far shorter. */
export const keyTextLengthMax: number = 64 * 1024;
