/** A method (RFC 9110 section 9.1), of a length that is read. */
export const methodToken: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

/** A field's name (RFC 9110 section 5.1). */
export const fieldName: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The same in lower case, as signatures have it (RFC 9421 section 2.1). */
export const lowerCaseFieldName: RegExp = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
